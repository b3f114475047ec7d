import { useId } from 'preact/hooks'

interface Props {
  name: string
  label: string
  options: readonly { value: string; text: string }[]
  value: string
  onChange?(value: string): void
}

/** A choice of few, with its label above. */
export function SelectField({ name, label, options, value, onChange }: Props) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        class="in"
        name={name}
        defaultValue={value}
        onChange={(event) => onChange?.(event.currentTarget.value)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value} selected={option.value === value}>
            {option.text}
          </option>
        ))}
      </select>
    </div>
  )
}
