import type { Environment } from '../options.ts'
import { listOf, readField } from '../rest-client.ts'
import { listText } from '../text-table.ts'
import type { Action } from './run-kind.ts'
import { runKind } from './run-kind.ts'

const list: Action = {
  words: [],
  options: [],
  run: async ({ client }) => {
    const entries = listOf(await client.get('/rest/audit'), 'entries')
    const columns = ['time', 'user', 'via', 'address', 'action', 'outcome', 'resource']
    return { json: { entries }, text: listText('entries', columns, entries) }
  },
}

const verify: Action = {
  words: [],
  options: [],
  run: async ({ client }) => {
    const response = await client.get('/rest/audit/verification')
    const verification = readField(response, 'verification')
    const problems = listOf(verification, 'problems')
    if (problems.length === 0) return { json: response, text: 'The audit log is intact' }
    throw new Error(`The audit log is not intact\n${listText('problems', ['day', 'text'], problems)}`)
  },
}

/** `terrane audit`: lists and verifies the audit log. */
export function runAudit(args: string[], env: Environment): Promise<number> {
  return runKind({ command: 'audit', actions: { list, verify } }, args, env)
}
