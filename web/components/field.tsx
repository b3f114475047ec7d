import { useId } from 'preact/hooks'
import { Icon } from './icon.tsx'

interface Props {
  name: string
  type?: 'text' | 'password' | 'date'
  autocomplete?: 'username' | 'current-password' | 'new-password' | 'one-time-code'
  required?: boolean
  autofocus?: boolean
  maxLength?: number
  defaultValue?: string
  label: string
  hint?: string | undefined
  /** Why the value cannot be taken. */
  error?: string | undefined
}

/** An input with its label above, and below it a hint or the reason why it cannot be taken. */
export function Field({ label, hint, error, type = 'text', ...input }: Props) {
  const id = useId()
  const reported = error ?? hint
  const shared = {
    ...input,
    id,
    class: 'in',
    'aria-invalid': error !== undefined,
    'aria-describedby': reported === undefined ? undefined : `${id}-told`,
  } as const
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {type === 'password' ? (
        <input type="password" {...shared} />
      ) : type === 'date' ? (
        <input type="date" {...shared} />
      ) : (
        <input {...shared} />
      )}
      {error !== undefined ? (
        <p class="err" id={`${id}-told`} role="alert">
          <Icon name="bad" />
          <span dir="auto">{error}</span>
        </p>
      ) : (
        hint !== undefined && (
          <p class="hint" id={`${id}-told`}>
            {hint}
          </p>
        )
      )}
    </div>
  )
}
