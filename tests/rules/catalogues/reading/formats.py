"""A small invented game, written in every format of catalogues, and changes of formats."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterable
from typing import Any
from xml.etree import ElementTree

SYSTEM = """<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<gameSystem id="sys" name="Bog Lanterns" revision="3" battleScribeVersion="2.03"
    authorName="A. Heron" xmlns="http://www.battlescribe.net/schema/gameSystemSchema">
  <readme>Bring a lantern.</readme>
  <publications><publication id="pub" name="The Bog" shortName="TB"/></publications>
  <costTypes>
    <costType id="shells" name=" Shells" defaultCostLimit="50.0" hidden="false"/>
    <costType id="fame" name="Fame" defaultCostLimit="-1.0" hidden="true"/>
  </costTypes>
  <profileTypes>
    <profileType id="wader" name="Wader">
      <characteristicTypes>
        <characteristicType id="speed" name="Speed"/><characteristicType id="wit" name="Wit"/>
      </characteristicTypes>
    </profileType>
  </profileTypes>
  <categoryEntries><categoryEntry id="heads" name="Heads" hidden="false"/></categoryEntries>
  <forceEntries>
    <forceEntry id="band" name="Band" hidden="false">
      <categoryLinks>
        <categoryLink id="band-heads" name="Heads" targetId="heads" primary="false" hidden="false">
          <constraints>
            <constraint id="one-head" type="max" value="1.0" field="selections" scope="parent"
                shared="true" includeChildSelections="true"/>
          </constraints>
        </categoryLink>
      </categoryLinks>
    </forceEntry>
  </forceEntries>
  <sharedRules>
    <rule id="mire" name="Mire" hidden="false" publicationId="pub" page="12">
      <description>Slow
in water.</description>
    </rule>
  </sharedRules>
</gameSystem>
"""
CATALOGUE = """<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<catalogue id="herons" name="Herons" revision="7" battleScribeVersion="2.03" gameSystemId="sys"
    library="false" xmlns="http://www.battlescribe.net/schema/catalogueSchema">
  <catalogueLinks>
    <catalogueLink id="to-library" name="Reeds" targetId="reeds" type="catalogue"
        importRootEntries="true"/>
  </catalogueLinks>
  <infoLinks><infoLink id="to-mire" name="Mire" targetId="mire" type="rule" hidden="false"/>
  </infoLinks>
  <selectionEntries>
    <selectionEntry id="elder" name="Elder" type="model" hidden="false" collective="false"
        import="true" publicationId="pub" page="4">
      <comment>The head.</comment>
      <constraints>
        <constraint id="most" type="max" value="1.0" field="selections" scope="force"
            shared="true" includeChildSelections="true" percentValue="false"/>
      </constraints>
      <profiles>
        <profile id="elder-wader" name="Elder" typeId="wader" typeName="Wader" hidden="false">
          <characteristics>
            <characteristic name="Speed" typeId="speed">4"</characteristic>
            <characteristic name="Wit" typeId="wit">+2</characteristic>
          </characteristics>
        </profile>
      </profiles>
      <categoryLinks>
        <categoryLink id="elder-heads" name="Heads" targetId="heads" primary="true"/>
      </categoryLinks>
      <entryLinks>
        <entryLink id="to-spears" name="Spears" targetId="spears" type="selectionEntryGroup"
            import="true"/>
      </entryLinks>
      <costs><cost name=" Shells" typeId="shells" value="12.5"/></costs>
      <modifiers>
        <modifier type="increment" field="shells" value="3">
          <repeats>
            <repeat value="1" repeats="2" field="selections" scope="parent" childId="spear"
                shared="true" roundUp="true"/>
          </repeats>
        </modifier>
      </modifiers>
      <modifierGroups>
        <modifierGroup>
          <conditions>
            <condition type="atLeast" value="1" field="selections" scope="force" childId="elder"
                shared="true"/>
          </conditions>
          <modifiers>
            <modifier type="set" field="hidden" value="true"/>
            <modifier type="append" field="name" value=" (again)">
              <conditionGroups>
                <conditionGroup type="or">
                  <conditions>
                    <condition type="instanceOf" value="1" field="selections" scope="ancestor"
                        childId="band"/>
                    <condition type="lessThan" value="20" field="limit::shells" scope="roster"
                        childId="any"/>
                  </conditions>
                </conditionGroup>
              </conditionGroups>
            </modifier>
          </modifiers>
        </modifierGroup>
      </modifierGroups>
    </selectionEntry>
  </selectionEntries>
  <sharedSelectionEntryGroups>
    <selectionEntryGroup id="spears" name="Spears" hidden="false" collective="false" import="true"
        defaultSelectionEntryId="spear">
      <selectionEntries>
        <selectionEntry id="spear" name="Spear" type="upgrade" hidden="false" import="true">
          <costs><cost name=" Shells" typeId="shells" value="2.0"/></costs>
        </selectionEntry>
      </selectionEntries>
    </selectionEntryGroup>
  </sharedSelectionEntryGroups>
</catalogue>
"""
LIBRARY = """<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<catalogue id="reeds" name="Reeds" revision="1" battleScribeVersion="2.03" gameSystemId="sys"
    library="true" xmlns="http://www.battlescribe.net/schema/catalogueSchema"/>
"""
FILES = {"bog.gst": SYSTEM, "herons.cat": CATALOGUE, "reeds.cat": LIBRARY}

# A game as far as format 1.15 can say it, in that format and in 2.03.
OLD_SYSTEM = """<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<gameSystem id="sys" name="Bog Lanterns" revision="3" battleScribeVersion="1.15" books="The Bog"
    authorName="A. Heron" xmlns="http://www.battlescribe.net/schema/gameSystemSchema">
  <forceTypes>
    <forceType id="band" name="Band" minSelections="0" maxSelections="-1" minPoints="0.0"
        maxPoints="-1.0" minPercentage="0" maxPercentage="-1">
      <categories>
        <category id="heads" name="Heads" minSelections="1" maxSelections="-1" minPoints="-1000.0"
            maxPoints="-1.0" minPercentage="0" maxPercentage="25"
            countTowardsParentMinPoints="false">
          <modifiers/>
        </category>
      </categories>
      <forceTypes/>
    </forceType>
  </forceTypes>
  <profileTypes>
    <profileType id="wader" name="Wader">
      <characteristics>
        <characteristic id="speed" name="Speed"/><characteristic id="wit" name="Wit"/>
      </characteristics>
    </profileType>
  </profileTypes>
</gameSystem>
"""
OLD_CATALOGUE = """<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<catalogue id="herons" name="Herons" revision="7" battleScribeVersion="1.15" gameSystemId="sys"
    books="The Bog" xmlns="http://www.battlescribe.net/schema/catalogueSchema">
  <entries>
    <entry id="elder" name="Elder" points="12.5" categoryId="heads" type="model" minSelections="0"
        maxSelections="-1" minInForce="0" maxInForce="1" minInRoster="0" maxInRoster="-1"
        minPoints="0.0" maxPoints="-1.0" collective="false" hidden="false" book="The Bog" page="4">
      <entries/>
      <entryGroups/>
      <modifiers>
        <modifier type="increment" field="points" value="3" repeat="true" numRepeats="2"
            incrementField="selections" incrementParentId="direct parent"
            incrementChildId="spear" incrementValue="1.0">
          <conditions/>
          <conditionGroups/>
        </modifier>
        <modifier type="hide" field="" value="" repeat="false" numRepeats="1"
            incrementField="selections" incrementParentId="direct parent"
            incrementChildId="" incrementValue="1.0">
          <conditions>
            <condition parentId="force type" childId="elder" field="selections" type="at least"
                value="1.0"/>
            <condition parentId="roster" childId="" field="points limit" type="less than"
                value="20.0"/>
          </conditions>
          <conditionGroups/>
        </modifier>
      </modifiers>
      <rules>
        <rule id="mire" name="Mire" hidden="false" book="The Bog" page="12">
          <description>Slow</description><modifiers/>
        </rule>
      </rules>
      <profiles>
        <profile id="elder-wader" profileTypeId="wader" name="Elder" hidden="false">
          <characteristics>
            <characteristic characteristicId="speed" name="Speed" value="4&quot;"/>
            <characteristic characteristicId="wit" name="Wit" value="+2"/>
          </characteristics>
          <modifiers/>
        </profile>
      </profiles>
      <links>
        <link id="to-spears" targetId="spears" linkType="entry group">
          <modifiers>
            <modifier type="set" field="minInForce" value="1" repeat="false" numRepeats="1"
                incrementField="selections" incrementParentId="roster" incrementValue="1.0"/>
          </modifiers>
        </link>
        <link id="to-wet" targetId="wet" linkType="rule"><modifiers/></link>
      </links>
    </entry>
  </entries>
  <rules/>
  <links/>
  <sharedEntries/>
  <sharedEntryGroups>
    <entryGroup id="spears" name="Spears" minSelections="0" maxSelections="2" minInForce="0"
        maxInForce="-1" minInRoster="0" maxInRoster="-1" minPoints="0.0" maxPoints="-1.0"
        collective="false" hidden="false" defaultEntryId="spear">
      <entries>
        <entry id="spear" name="Spear" points="2.0" categoryId="(No Category)" type="upgrade"
            minSelections="0" maxSelections="-1" minInForce="0" maxInForce="-1" minInRoster="0"
            maxInRoster="-1" minPoints="0.0" maxPoints="-1.0" collective="false" hidden="false"/>
      </entries>
      <entryGroups/><modifiers/><links/>
    </entryGroup>
  </sharedEntryGroups>
  <sharedRules><rule id="wet" name="Wet" hidden="false" page="0"><description/></rule></sharedRules>
  <sharedProfiles/>
</catalogue>
"""
OLD = {"bog.gst": OLD_SYSTEM, "herons.cat": OLD_CATALOGUE}
OLD_AS_NEW_SYSTEM = """<gameSystem id="sys" name="Bog Lanterns" revision="3"
    battleScribeVersion="2.03" authorName="A. Heron">
  <costTypes><costType id="points" name="pts"/></costTypes>
  <profileTypes>
    <profileType id="wader" name="Wader">
      <characteristicTypes>
        <characteristicType id="speed" name="Speed"/><characteristicType id="wit" name="Wit"/>
      </characteristicTypes>
    </profileType>
  </profileTypes>
  <categoryEntries><categoryEntry id="heads" name="Heads"/></categoryEntries>
  <forceEntries>
    <forceEntry id="band" name="Band">
      <categoryLinks>
        <categoryLink id="band-heads" name="Heads" targetId="heads">
          <constraints>
            <constraint id="minSelections" type="min" value="1" field="selections" scope="parent"/>
            <constraint id="maxPercentage" type="max" value="25" field="limit::points"
                scope="roster" percentValue="true" includeChildSelections="true"
                includeChildForces="true"/>
          </constraints>
        </categoryLink>
      </categoryLinks>
    </forceEntry>
  </forceEntries>
</gameSystem>
"""
OLD_AS_NEW_CATALOGUE = """<catalogue id="herons" name="Herons" revision="7"
    battleScribeVersion="2.03" gameSystemId="sys">
  <publications><publication id="herons-pub1" name="The Bog"/></publications>
  <selectionEntries>
    <selectionEntry id="elder" name="Elder" type="model" import="true" publicationId="herons-pub1"
        page="4">
      <costs><cost typeId="points" value="12.5"/></costs>
      <constraints>
        <constraint id="maxInForce" type="max" value="1" field="selections" scope="force"
            includeChildSelections="true"/>
      </constraints>
      <categoryLinks><categoryLink id="elder-heads" targetId="heads" primary="true"/>
      </categoryLinks>
      <modifiers>
        <modifier type="increment" field="points" value="3">
          <repeats>
            <repeat repeats="2" value="1" field="selections" scope="parent" childId="spear"/>
          </repeats>
        </modifier>
        <modifier type="set" field="hidden" value="true">
          <conditions>
            <condition type="atLeast" value="1" field="selections" scope="force" childId="elder"
                includeChildSelections="true"/>
            <condition type="lessThan" value="20" field="limit::points" scope="roster"
                childId="any"/>
          </conditions>
        </modifier>
      </modifiers>
      <rules>
        <rule id="mire" name="Mire" publicationId="herons-pub1" page="12">
          <description>Slow</description>
        </rule>
      </rules>
      <profiles>
        <profile id="elder-wader" name="Elder" typeId="wader">
          <characteristics>
            <characteristic name="Speed" typeId="speed">4"</characteristic>
            <characteristic name="Wit" typeId="wit">+2</characteristic>
          </characteristics>
        </profile>
      </profiles>
      <infoLinks><infoLink id="to-wet" targetId="wet" type="rule"/></infoLinks>
      <entryLinks>
        <entryLink id="to-spears" targetId="spears" type="selectionEntryGroup" import="true">
          <modifiers><modifier type="set" field="minInForce" value="1"/></modifiers>
        </entryLink>
      </entryLinks>
    </selectionEntry>
  </selectionEntries>
  <sharedSelectionEntryGroups>
    <selectionEntryGroup id="spears" name="Spears" import="true" defaultSelectionEntryId="spear">
      <constraints>
        <constraint id="maxSelections" type="max" value="2" field="selections" scope="parent"/>
        <constraint id="minInForce" type="min" value="0" field="selections" scope="force"
            includeChildSelections="true"/>
      </constraints>
      <selectionEntries>
        <selectionEntry id="spear" name="Spear" type="upgrade" import="true">
          <costs><cost typeId="points" value="2"/></costs>
        </selectionEntry>
      </selectionEntries>
    </selectionEntryGroup>
  </sharedSelectionEntryGroups>
  <sharedRules><rule id="wet" name="Wet"/></sharedRules>
</catalogue>
"""
OLD_AS_NEW = {"bog.gst": OLD_AS_NEW_SYSTEM, "herons.cat": OLD_AS_NEW_CATALOGUE}

ROSTER = """<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<roster id="r" name="Night herons" battleScribeVersion="2.03" gameSystemId="sys"
    gameSystemName="Bog Lanterns" gameSystemRevision="3"
    xmlns="http://www.battlescribe.net/schema/rosterSchema">
  <costs><cost name="Shells" typeId="shells" value="16.5"/></costs>
  <costLimits><costLimit name="Shells" typeId="shells" value="50"/></costLimits>
  <forces>
    <force id="f" name="Band" entryId="band" catalogueId="herons" catalogueRevision="7"
        catalogueName="Herons">
      <selections>
        <selection id="s1" name="Elder" entryId="elder" number="1" type="model"
            customName="Old Hob">
          <customNotes>Limps.</customNotes>
          <selections>
            <selection id="s2" name="Spear" entryId="to-spears::spear"
                entryGroupId="to-spears::spears" number="2" type="upgrade">
              <costs><cost name="Shells" typeId="shells" value="4"/></costs>
            </selection>
          </selections>
          <costs><cost name="Shells" typeId="shells" value="12.5"/></costs>
          <categories>
            <category id="c" name="Heads" entryId="heads" primary="true"/>
          </categories>
        </selection>
      </selections>
      <categories><category id="d" name="Heads" entryId="heads" primary="false"/></categories>
    </force>
  </forces>
</roster>
"""
# The same list in the oldest format, whose selections are in categories and have points.
OLD_ROSTER = """<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<roster id="r" name="Night herons" battleScribeVersion="1.15" gameSystemId="sys" points="16.5"
    gameSystemName="Bog Lanterns" pointsLimit="50" description=""
    xmlns="http://www.battlescribe.net/schema/rosterSchema">
  <forces>
    <force id="f" catalogueId="herons" catalogueName="Herons" forceTypeId="band"
        forceTypeName="Band">
      <categories>
        <category id="c" categoryId="heads" name="Heads">
          <selections>
            <selection id="s1" entryId="elder" name="Elder" customName="Old Hob" points="12.5"
                number="1" type="model">
              <customDescription>Limps.</customDescription>
              <selections>
                <selection id="s2" entryId="to-spears::spear" name="Spear" points="4" number="2"
                    entryGroupId="to-spears::spears" type="upgrade"/>
              </selections>
            </selection>
          </selections>
        </category>
      </categories>
      <forces/>
    </force>
  </forces>
</roster>
"""


def encoded(files: dict[str, str]) -> list[tuple[str, bytes]]:
    """Return files as they are uploaded."""
    return [(name, text.encode()) for name, text in files.items()]


def zipped(files: Iterable[tuple[str, bytes]], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Return a zip of files."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", method) as packed:
        for name, content in files:
            packed.writestr(name, content)
    return written.getvalue()


def as_version(text: str, version: str) -> str:
    """Return a file of format 2.03 in format 2.01 or 2.02, as far as these differ."""
    text = text.replace('battleScribeVersion="2.03"', f'battleScribeVersion="{version}"')
    text = re.sub(r'\s(import|importRootEntries)="\w+"', "", text)
    if version == "2.01":
        text = re.sub(r"<publications>.*?</publications>", "", text, flags=re.S)
        text = text.replace('publicationId="pub"', 'book="The Bog"')
        text = re.sub(r'(<cost [^>]*)typeId="', r'\1costTypeId="', text)
        text = text.replace('typeId="wader" typeName=', 'profileTypeId="wader" profileTypeName=')
        text = re.sub(
            r'<characteristic name="(\w+)" typeId="(\w+)">(\S+)</characteristic>',
            lambda found: (
                f'<characteristic name="{found[1]}" characteristicTypeId="{found[2]}" '
                f'value="{found[3].replace(chr(34), "&quot;")}"/>'
            ),
            text,
        )
    return text


def as_json(text: str, *, is_wrapped: bool = False) -> str:
    """Return a file in New Recruit's JSON; ``is_wrapped``: lists as objects around them."""
    root = ElementTree.fromstring(text)
    return json.dumps({_local(root): _object(root, is_wrapped)})


def _local(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]


TEXTS = ("readme", "comment", "description", "customNotes")


def _object(element: ElementTree.Element, is_wrapped: bool) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for name, value in element.attrib.items():
        if value in ("true", "false"):
            made[name] = value == "true"
        elif name in ("value", "revision", "defaultCostLimit") and _is_number(value):
            made[name] = float(value) if "." in value else int(value)
        else:
            made[name] = value
    for child in element:
        name = _local(child)
        if name in TEXTS:
            made[name] = child.text or ""
        else:
            inner = [_object(one, is_wrapped) for one in child]
            made[name] = {_local(child[0]): inner} if is_wrapped and inner else inner
    if element.text and element.text.strip():
        made["$text"] = element.text
    return made


def _is_number(text: str) -> bool:
    return re.fullmatch(r"-?[0-9]{1,12}(\.[0-9]{1,6})?", text) is not None
