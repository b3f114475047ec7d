import { useEffect, useId } from 'preact/hooks'
import { userNames } from './permissions.ts'

interface Props {
  name: string
  label: string
  hint?: string
  required?: boolean
}

const mostOffered = 500

/** An input for the name of a user, which offers the names of the users. */
export function UserInput({ name, label, hint, required = false }: Props) {
  const id = useId()
  useUserNames()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        class="in"
        id={id}
        name={name}
        list={`${id}l`}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        required={required}
        maxLength={200}
        aria-describedby={hint === undefined ? undefined : `${id}h`}
      />
      <UserOptions id={`${id}l`} />
      {hint !== undefined && (
        <p class="hint" id={`${id}h`}>
          {hint}
        </p>
      )}
    </div>
  )
}

/** Loads the names that `UserOptions` offers. */
export function useUserNames(): void {
  useEffect(() => void userNames.load(), [])
}

/** The names that an input offers; `id` is the value of its attribute `list`. */
export function UserOptions({ id, without = [] }: { id: string; without?: readonly string[] }) {
  const names = (userNames.value ?? []).filter((one) => !without.includes(one))
  return (
    <datalist id={id}>
      {names.slice(0, mostOffered).map((one) => (
        <option key={one} value={one} />
      ))}
    </datalist>
  )
}
