import { Icon } from '../../parts/icon.tsx'
import { reasonOf } from '../../parts/states.tsx'

/** What came of trying a connection. */
export interface TriedProps {
  isWell: boolean
  text: string
}

/** Tries something; what fails is told in the server's words. */
export async function tried(work: () => Promise<string>): Promise<TriedProps> {
  try {
    return { isWell: true, text: await work() }
  } catch (error) {
    return { isWell: false, text: reasonOf(error) }
  }
}

export function Tried({ told }: { told: TriedProps | undefined }) {
  return (
    <div class="told" role="status">
      {told !== undefined && (
        <span class={`st ${told.isWell ? 'ok' : 'bad'}`}>
          <Icon name={told.isWell ? 'ok' : 'bad'} />
          <span dir="auto">{told.text}</span>
        </span>
      )}
    </div>
  )
}
