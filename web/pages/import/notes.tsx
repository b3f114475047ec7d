import { Icon } from '../../components/icon.tsx'
import type { Message } from './types.ts'

const noteLooks: Record<string, string> = { error: 'bad', warning: 'warn' }

/** Messages about data or an import. */
export function Notes({ messages = [] }: { messages: readonly Message[] | undefined }) {
  return messages.map((one, index) => (
    <div key={`${index}`} class={`note ${noteLooks[one.level ?? 'info'] ?? ''}`}>
      <Icon name={one.level === 'error' ? 'bad' : one.level === 'warning' ? 'warn' : 'info'} />
      <div dir="auto">{one.message ?? one.text}</div>
    </div>
  ))
}
