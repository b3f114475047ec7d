import { setTimeout as wait } from 'node:timers/promises'
import { stoppedText } from '../importer/index.ts'
import { dryRunEnded } from './import-report.ts'
import type { MessageView, TaskView } from './import-views.ts'
import { readMessages, readTasks } from './import-views.ts'
import type { RestClient } from './rest-client.ts'
import { listOf, readField, readString } from './rest-client.ts'
import type { TaskOutcome } from './task-outcome.ts'

const pollMilliseconds = 150

/** Starts a dry run of an import that has tasks, and returns what a run would do. */
export async function dryRunImport(
  { client }: { client: RestClient },
  importId: number,
  start: number,
): Promise<TaskOutcome[]> {
  const path = `/rest/imports/${importId}`
  const tasks = readTasks(await client.get(`${path}/tasks?expand=1`))
  let response = await client.post(`${path}/dry-run?async=true`)
  while (readString(readField(response, 'dryRun'), 'state') === 'RUNNING') {
    await wait(pollMilliseconds)
    response = await client.get(`${path}/dry-run`)
  }
  const found = listOf(readField(response, 'dryRun'), 'tasks')
  const seconds = (performance.now() - start) / 1000
  const next = `POST ${path} runs the import, DELETE ${path}/dry-run drops it`
  const outcomes = tasks.map((task) =>
    outcomeOf(
      task,
      found.find((one) => readField(one, 'task') === task.id),
      seconds,
    ),
  )
  outcomes[0]?.messages.push({ level: 'info', text: next })
  return outcomes
}

function outcomeOf(task: TaskView, found: unknown, seconds: number): TaskOutcome {
  const { file, layer, unit } = task
  const message = task.errorMessage ?? ''
  const base = { file, layer, unit, loaded: 0, rejected: 0, seconds, message, messages: task.messages }
  if (found === undefined) return { ...base, state: task.state }
  const rows = readField(found, 'rows')
  const messages = readMessages(readField(found, 'messages'))
  const stopped = listOf(found, 'stopped')
  const isFailed = messages.some(({ level }) => level === 'error')
  return {
    ...base,
    state: stopped.length > 0 ? 'STOPPED' : isFailed ? 'ERROR' : dryRunEnded,
    loaded: Number(readField(rows, 'load')),
    rejected: Number(readField(rows, 'rejected')),
    message: stopped.length > 0 ? stopped.map(ruleText).join('; ') : changesText(readField(found, 'changes')),
    messages: [...messages, ...rejectMessages(found)],
  }
}

function ruleText(stopped: unknown): string {
  const [limit, measured] = [readField(stopped, 'limit'), readField(stopped, 'measured')]
  return stoppedText({ rule: readString(stopped, 'rule'), limit, measured })
}

function changesText(changes: unknown): string {
  if (changes === undefined) return ''
  const parts = ['added', 'changed', 'removed', 'same'].flatMap((name) => {
    const rows = readField(changes, name)
    return typeof rows === 'number' ? [`${rows.toLocaleString('en')} ${name}`] : []
  })
  return parts.join(', ')
}

function rejectMessages(found: unknown): MessageView[] {
  return listOf(found, 'rejects').map((one) => {
    const field = readString(one, 'field')
    const prefix = field === '' ? '' : `"${field}": `
    return {
      level: 'warning',
      text: `${Number(readField(one, 'count'))} rows would be rejected: ${prefix}${readString(one, 'reason')}`,
    }
  })
}
