import { amount } from './progress-display.ts'
import type { TaskOutcome } from './task-outcome.ts'
import { textTable } from './text-table.ts'

/** State of a successful dry run. */
export const dryRunEnded = 'DRY_RUN'

/** True if everything succeeded as requested. */
export function isSuccessful(outcomes: TaskOutcome[]): boolean {
  return outcomes.every(
    (one) => (one.state === 'COMPLETE' || one.state === dryRunEnded) && one.isFailed !== true,
  )
}

/** Returns one line per task, the totals, and all messages. */
export function summary(outcomes: TaskOutcome[]): string {
  const rows = outcomes.map((one) => [
    one.file,
    one.layer,
    one.state,
    one.unit === 'rows' ? one.loaded.toLocaleString('en') : amount(one.loaded, one.unit),
    one.rejected.toLocaleString('en'),
    one.seconds.toFixed(1),
    one.message.split('\n', 1)[0] ?? '',
  ])
  const head = ['file', 'layer', 'state', 'loaded', 'rejected', 'seconds', 'message']
  const table = textTable(head, rows, ['loaded', 'rejected', 'seconds'])
  const complete = outcomes.filter((one) => one.state === 'COMPLETE').length
  const messages = messageLines(outcomes)
  const last = outcomes.some((one) => one.state === dryRunEnded)
    ? 'Dry run: nothing was changed'
    : `${complete} of ${outcomes.length} imported`
  return [table, last, ...(messages.length === 0 ? [] : ['', ...messages])].join('\n')
}

/** Formats outcomes as JSON for programs. */
export function outcomesAsJson(outcomes: TaskOutcome[]): string {
  const tasks = outcomes.map(({ messages, isFailed: _isFailed, seconds, ...one }) => ({
    ...one,
    seconds: Number(seconds.toFixed(3)),
    messages: messages.map(({ level, text }) => ({ level, message: text })),
  }))
  return JSON.stringify({ tasks }, null, 2)
}

const levels = ['error', 'warning', 'info']
const maxNames = 3

/** Returns the messages of all tasks: each once, with its files, the most severe first. */
function messageLines(outcomes: TaskOutcome[]): string[] {
  const groups = new Map<string, { level: string; text: string; files: Set<string> }>()
  for (const { file, message, messages } of outcomes) {
    // The table shows only the first line.
    const whole = message.includes('\n') ? [{ level: 'error', text: message }] : []
    for (const { level, text } of [...whole, ...messages]) {
      const key = `${level} ${text}`
      const group = groups.get(key) ?? { level, text, files: new Set() }
      group.files.add(file)
      groups.set(key, group)
    }
  }
  return [...groups.values()]
    .sort((a, b) => levels.indexOf(a.level) - levels.indexOf(b.level))
    .map(({ level, text, files }) => `${level}: ${names([...files])}: ${text.replaceAll('\n', '\n  ')}`)
}

function names(files: string[]): string {
  const rest = files.length - maxNames
  return `${files.slice(0, maxNames).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}
