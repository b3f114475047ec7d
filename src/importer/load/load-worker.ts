import { parentPort } from 'node:worker_threads'
import { databaseReaders } from '../../sources/database/registry.ts'
import { describeFile } from './describe-file.ts'
import type { LoadOutcome } from './load-plan.ts'
import type { Order, Report } from './messages.ts'
import { fromErrorData, toErrorData } from './messages.ts'
import { runLoad } from './run-load.ts'

const port = parentPort
if (port === null) throw new Error('This module runs in a worker thread')

const report = (message: Report): void => port.postMessage(message)

let abort = new AbortController()
let decide: { commit(): void; refuse(error: Error): void } | undefined

function askForCommit(token: string, outcome: LoadOutcome): Promise<void> {
  return new Promise((resolve, reject) => {
    decide = { commit: resolve, refuse: reject }
    report({ type: 'committing', token, outcome })
  })
}

async function obey(order: Order): Promise<void> {
  if (order.type === 'abort') {
    abort.abort(new Error('The load was cancelled'))
    decide?.refuse(new Error('The load was cancelled'))
  } else if (order.type === 'commit') decide?.commit()
  else if (order.type === 'refuse') decide?.refuse(fromErrorData(order.error))
  else await work(order)
}

async function work(
  order: Extract<Order, { type: 'describe' | 'describe-database' | 'load' }>,
): Promise<void> {
  abort = new AbortController()
  decide = undefined
  const { signal } = abort
  try {
    if (order.type === 'describe') {
      report({ type: 'described', described: await describeFile(order.file, order.charset, signal) })
      return
    }
    if (order.type === 'describe-database') {
      const { connection, tables, maxTables } = order
      const reader = databaseReaders[connection.type]
      const options = { maxTables, signal, ...(tables === undefined ? {} : { tables }) }
      const described = { format: reader.format, ...(await reader.describe(connection, options)) }
      report({ type: 'database-described', described })
      return
    }
    const outcome = await runLoad(order.plan, {
      signal,
      onProgress: (progress) => report({ type: 'progress', progress }),
      onMessage: (message) => report({ type: 'message', message }),
      beforeCommit: askForCommit,
    })
    report({ type: 'loaded', outcome })
  } catch (error) {
    report({ type: 'failed', error: toErrorData(error) })
  }
}

port.on('message', (order: Order) => void obey(order))
