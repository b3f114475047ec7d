import { Icon } from '../../components/icon.tsx'
import { sourceTexts } from '../../messages/sources/texts.ts'

const marks: Record<string, readonly [icon: string, kind: string]> = {
  idle: ['ok', 'ok'],
  loaded: ['ok', 'ok'],
  unchanged: ['ok', 'ok'],
  new: ['unknown', 'off'],
  running: ['refresh', ''],
  waiting: ['clock', ''],
  paused: ['pause', 'off'],
  skipped: ['minus', 'off'],
  stopped: ['ban', 'warn'],
  overdue: ['warn', 'warn'],
  failed: ['bad', 'bad'],
}

/** The state of a source, with its sign. */
export function StateMark({ state }: { state: string }) {
  const [icon, kind] = marks[state] ?? ['unknown', 'off']
  return (
    <span class={`st ${kind}`}>
      <Icon name={icon} />
      {sourceTexts.value.states(state)}
    </span>
  )
}

/** The outcome of a run, with its sign. */
export function OutcomeMark({ outcome }: { outcome: string }) {
  const [icon, kind] = marks[outcome] ?? ['unknown', 'off']
  return (
    <span class={`st ${kind}`}>
      <Icon name={icon} />
      {sourceTexts.value.outcomes(outcome)}
    </span>
  )
}
