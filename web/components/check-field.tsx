import { useId } from 'preact/hooks'

interface Props {
  name: string
  label: string
  hint?: string | undefined
  isOn: boolean
  isOff?: boolean
}

/** A box to tick, with its label at the right. */
export function CheckField({ name, label, hint, isOn, isOff = false }: Props) {
  const id = useId()
  return (
    <div class="field">
      <label class="check" for={id}>
        <input
          id={id}
          type="checkbox"
          name={name}
          defaultChecked={isOn}
          disabled={isOff}
          aria-describedby={hint === undefined ? undefined : `${id}h`}
        />
        <span>{label}</span>
      </label>
      {hint !== undefined && (
        <p class="hint" id={`${id}h`}>
          {hint}
        </p>
      )}
    </div>
  )
}
