import { Icon } from '../../../components/icon.tsx'
import { reasonOf } from '../../../components/states.tsx'

/** Error message of the server. */
export function CommandOutput({ error }: { error: unknown }) {
  if (error === undefined) return null
  return (
    <p class="err" role="alert">
      <Icon name="bad" />
      <span dir="auto">{reasonOf(error)}</span>
    </p>
  )
}
