import { Icon } from '../../../components/icon.tsx'
import type { StyleMessages } from './available-styles.ts'

/**
 * Messages of the server about a document: parts that are not drawn, or that another format cannot express.
 */
export function StyleMessagesList({ list }: { list: StyleMessages }) {
  if (list.length === 0) return null
  return (
    <ul class="stack s2 style-messages">
      {list.map(({ level, message }, at) => (
        <li key={at} class={`note ${level === 'warning' ? 'warn' : ''}`}>
          <Icon name={level === 'warning' ? 'warn' : 'info'} />
          <div dir="auto">{message}</div>
        </li>
      ))}
    </ul>
  )
}
