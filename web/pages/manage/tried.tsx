import { Icon } from '../../components/icon.tsx'
import { reasonOf } from '../../components/states.tsx'

/** Result of testing a connection. */
export interface TriedProps {
  isWell: boolean
  text: string
}

/** Runs a test; shows the server's message if it fails. */
export async function tried(work: () => Promise<string>): Promise<TriedProps> {
  try {
    return { isWell: true, text: await work() }
  } catch (error) {
    return { isWell: false, text: reasonOf(error) }
  }
}

export function Tried({ reported }: { reported: TriedProps | undefined }) {
  return (
    <div class="told" role="status">
      {reported !== undefined && (
        <span class={`st ${reported.isWell ? 'ok' : 'bad'}`}>
          <Icon name={reported.isWell ? 'ok' : 'bad'} />
          <span dir="auto">{reported.text}</span>
        </span>
      )}
    </div>
  )
}
