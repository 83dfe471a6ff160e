"""Keep how a game came to its result, the places of its sides, and the club's rules for both."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("campaigns", "0011_table_code")]

    operations = [
        migrations.AddField(
            "campaign", "special_results", models.JSONField(blank=True, default=dict)
        ),
        migrations.AddField(
            "side", "finish", models.PositiveSmallIntegerField(blank=True, null=True)
        ),
        migrations.AddField(
            "game",
            "how",
            models.CharField(
                max_length=10,
                default="played",
                choices=[
                    ("played", "Played as usual"),
                    ("walk-over", "Walk-over"),
                    ("no-show", "No-show"),
                    ("conceded", "Conceded"),
                    ("void", "Void"),
                    ("abandoned", "Abandoned"),
                    ("recorded", "Recorded result"),
                ],
            ),
        ),
        migrations.RemoveConstraint("game", "game_reported_has_result"),
        migrations.AddConstraint(
            "game",
            models.CheckConstraint(
                condition=models.Q(
                    ("status", "planned"),
                    models.Q(("result", ""), _negated=True),
                    models.Q(("how", "played"), _negated=True),
                    _connector="OR",
                ),
                name="game_reported_has_result",
            ),
        ),
        migrations.AddConstraint(
            "game",
            models.CheckConstraint(
                condition=models.Q(
                    (
                        "how__in",
                        [
                            "played",
                            "walk-over",
                            "no-show",
                            "conceded",
                            "void",
                            "abandoned",
                            "recorded",
                        ],
                    )
                ),
                name="game_how",
            ),
        ),
    ]
