// The fields of a form: as the page gave them, and as the reader has changed them.

/** Whether a field is ticked rather than filled in. */
export function isCheckable(field) {
  return field.matches("[type=radio], [type=checkbox]");
}

/** The value of a field, or whether it is ticked. */
export function stateOf(field) {
  return isCheckable(field) ? field.checked : field.value;
}

/** The state in which the page gave a field. */
export function initialState(field) {
  if (isCheckable(field)) return field.defaultChecked;
  if (!field.options) return field.defaultValue ?? field.value;
  const option = [...field.options].find(({ defaultSelected }) => defaultSelected) ?? field.options[0];
  return option?.value ?? "";
}

/** Whether the reader has changed a field. */
export function isChanged(field) {
  return stateOf(field) !== initialState(field);
}
