/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */

interface FieldProps {
  name: string;
  value: string;
  label: string;
  rows?: number;
  isNeeded?: boolean;
  /** Of JSON and the like. */
  isCode?: boolean;
}

/** One line of text, under its label. */
export function TextField({ name, value, label, isNeeded }: FieldProps) {
  return (
    <label class="field">
      <span>{label}</span>
      <input type="text" name={name} value={value} required={isNeeded} autocomplete="off" />
    </label>
  );
}

/** Several lines. */
export function AreaField({ name, value, label, rows = 3, isCode = false }: FieldProps) {
  return (
    <label class="field wide">
      <span>{label}</span>
      <textarea name={name} rows={rows} class={isCode ? "code" : undefined} spellcheck={!isCode}>
        {value}
      </textarea>
    </label>
  );
}

/** A box to tick, before its label. */
export function CheckField(props: { name: string; isOn: boolean; label: string }) {
  return (
    <label class="check">
      <input type="checkbox" name={props.name} checked={props.isOn} />
      <span>{props.label}</span>
    </label>
  );
}

/** One of several values. */
export function Choices(props: {
  name: string;
  legend: string;
  chosen: string;
  choices: [value: string, label: string][];
}) {
  return (
    <fieldset class="choices">
      <legend>{props.legend}</legend>
      {props.choices.map(([value, label]) => (
        <label class="check">
          <input type="radio" name={props.name} value={value} checked={value === props.chosen} />
          <span>{label}</span>
        </label>
      ))}
    </fieldset>
  );
}
