import { useId } from 'preact/hooks'

interface NumberProps {
  label: string
  value: number
  min: number
  max: number
  step: number | 'any'
  onChange(value: number): void
}

/** A numeric field; applies each valid value within its limits. */
export function NumberField({ label, value, min, max, step, onChange }: NumberProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        class="in num"
        id={id}
        type="number"
        {...{ value, min, max, step }}
        onInput={({ currentTarget }) => {
          const next = currentTarget.valueAsNumber
          if (Number.isFinite(next) && next >= min && next <= max) onChange(next)
        }}
      />
    </div>
  )
}

export function ColorField({
  label,
  value,
  onChange,
}: {
  label: string
  value: string
  onChange(value: string): void
}) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        class="in color"
        id={id}
        type="color"
        value={value}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
    </div>
  )
}

interface SelectProps<T extends string> {
  label: string
  value: T
  options: readonly { value: T; text: string }[]
  disabled?: boolean
  onChange(value: T): void
}

export function SelectField<T extends string>({ label, value, options, disabled, onChange }: SelectProps<T>) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        class="in"
        id={id}
        value={value}
        disabled={disabled}
        dir="auto"
        onChange={({ currentTarget }) => {
          const chosen = options.find((one) => one.value === currentTarget.value)
          if (chosen !== undefined) onChange(chosen.value)
        }}
      >
        {options.map((one) => (
          <option key={one.value} value={one.value}>
            {one.text}
          </option>
        ))}
      </select>
    </div>
  )
}

/** An opacity as a share of hundred. */
export function OpacityField({
  label,
  value,
  onChange,
}: {
  label: string
  value: number
  onChange(value: number): void
}) {
  const id = useId()
  const percent = Math.round(value * 100)
  return (
    <div class="field">
      <label for={id}>
        {label} <span class="dim">{percent} %</span>
      </label>
      <input
        class="opacity"
        id={id}
        type="range"
        min={0}
        max={100}
        value={percent}
        onInput={({ currentTarget }) => onChange(currentTarget.valueAsNumber / 100)}
      />
    </div>
  )
}
