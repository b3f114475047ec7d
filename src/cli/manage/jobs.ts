import type { Environment } from '../options.ts'
import { UsageError } from '../options.ts'
import { listOf, readField } from '../rest-client.ts'
import { listText } from '../text-table.ts'
import type { Action } from './run-kind.ts'
import { runKind } from './run-kind.ts'

const columns = ['id', 'kind', 'state', 'subject', 'attempts', 'errorCode', 'error', 'changed', 'server']

const list: Action = {
  words: [],
  options: ['all', 'limit'],
  run: async ({ client, values: { all, limit } }) => {
    const query = new URLSearchParams()
    if (all !== true) query.set('state', 'failed')
    if (limit !== undefined) query.set('limit', limit)
    const jobs = listOf(await client.get(`/rest/jobs?${query}`), 'jobs')
    return { json: { jobs }, text: listText('jobs', columns, jobs.map(withServer)) }
  },
}

const retry: Action = {
  words: ['JOB'],
  options: [],
  run: async ({ client }, [job = '']) => {
    if (!/^[1-9]\d{0,14}$/.test(job)) throw new UsageError(`JOB is the number of a job; found "${job}"`)
    await client.post(`/rest/jobs/${job}/retry`)
    return { json: { repeated: Number(job) }, text: `The work of job ${job} starts again` }
  },
}

function withServer(job: unknown): object {
  const node = readField(job, 'node')
  const server = node === null ? '' : `${readField(node, 'host')} ${readField(node, 'pid')}`
  return { ...Object(job), server }
}

/** `terrane jobs`: lists failed or all stored background jobs, and repeats failed jobs. */
export function runJobs(args: string[], env: Environment): Promise<number> {
  return runKind({ command: 'jobs', actions: { list, retry } }, args, env)
}
