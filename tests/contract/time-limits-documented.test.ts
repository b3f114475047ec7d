import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'

const root = join(import.meta.dirname, '..', '..')
/** Matches the ways in which the sources express a time limit. */
const limit =
  /AbortSignal\.timeout\(|waitLimit\(|\b(deadlineMs|silenceMs|timeoutMs|clockLimitMs|CpuDeadline|statement_timeout|query_timeout|connectionTimeoutMillis)\b/
/** They carry limits that others set. */
const carriers = [
  'core/process/process.ts',
  'core/time/stopwatch.ts',
  'core/time/wait-limit.ts',
  'core/workers/handlers.ts',
  'core/workers/pending-call.ts',
  'core/workers/worker-handle.ts',
]

it('docs/limits.md names every file that limits time', () => {
  const page = readFileSync(join(root, 'docs', 'limits.md'), 'utf8')
  const files = globSync('**/*.ts', { cwd: join(root, 'src') }).filter((file) => !file.endsWith('.test.ts'))
  const limiting = files.filter((file) => limit.test(readFileSync(join(root, 'src', file), 'utf8')))
  assert.ok(limiting.length > 50, 'limits are found')
  const missing = limiting.filter((file) => !carriers.includes(file) && !page.includes(`\`${file}\``))
  assert.deepEqual(missing, [], 'add what they limit, when the limit starts and what happens then')
  const named = [...page.matchAll(/`([a-z0-9/-]+\.ts)`/g)].map(([, file = '']) => file)
  const gone = named.filter((file) => !files.includes(file) && !file.startsWith('tests/'))
  assert.deepEqual(gone, [], 'files that are no more')
})
