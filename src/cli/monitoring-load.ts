import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { MonitoringCommand } from './monitoring-options.ts'
import { UsageError } from './options.ts'
import { ProgressDisplay } from './progress-display.ts'
import type { RestRequests } from './rest-client.ts'
import { listOf, readField, readNumber, readString } from './rest-client.ts'
import { textTable } from './text-table.ts'

const path = '/monitoring/api/load/'
const pollMilliseconds = 500

/** `terrane monitoring load FILE` */
export const loadDump: MonitoringCommand = async ({ client, options, say }, words) => {
  const [file, ...more] = words
  if (file === undefined || more.length > 0)
    throw new UsageError('`terrane monitoring load` needs one file: a JSON dump')
  const found = await stat(file).catch(() => undefined)
  if (found === undefined || !found.isFile()) throw new UsageError(`${file} is not a file`)
  const upload = { path: file, name: basename(file), sizeBytes: found.size }
  const display = new ProgressDisplay(process.stderr)
  const stopWatching = watch(client, display, found.size)
  try {
    const response = await client.sendFile(path, upload, (done) => {
      display.update(path, { label: 'sent', done, total: found.size, unit: 'bytes' })
    })
    display.finish(path)
    say(options.isJson ? JSON.stringify(response, null, 2) : report(readField(response, 'data')))
    return 0
  } finally {
    stopWatching()
    display.finish(path)
  }
}

/** Shows the progress of the server after it has received everything; returns a function that stops this. */
function watch(client: RestRequests, display: ProgressDisplay, total: number): () => void {
  let isAsking = false
  const timer = setInterval(async () => {
    if (isAsking) return
    isAsking = true
    try {
      const data = readField(await client.get(path), 'data')
      const [phase, done] = [readString(data, 'phase'), readNumber(data, 'done')]
      if (phase === 'reading') display.update(path, { label: phase, done, total, unit: 'bytes' })
      else if (phase !== '' && phase !== 'receiving')
        display.update(path, { label: phase, done, total: 0, unit: 'rows' })
    } catch {
      // The response to the upload gives the reason.
    }
    isAsking = false
  }, pollMilliseconds)
  return () => clearInterval(timer)
}

function report(data: unknown): string {
  if (readField(data, 'repeated') === true)
    return `This dump was loaded on ${readString(data, 'loaded_at')}: nothing was changed`
  const models = listOf(data, 'models')
  const rows = models.map((one) => {
    const skipped = listOf(one, 'skipped').reduce<number>((sum, part) => sum + readNumber(part, 'count'), 0)
    return [
      readString(one, 'model'),
      ...[readNumber(one, 'read'), readNumber(one, 'loaded'), skipped].map(grouped),
    ]
  })
  const reasons = models.flatMap((one) =>
    listOf(one, 'skipped').map((part) => [
      readString(one, 'model'),
      grouped(readNumber(part, 'count')),
      readString(part, 'reason'),
    ]),
  )
  const counts = ['read', 'loaded', 'skipped']
  const table = textTable(['model', ...counts], rows, counts)
  if (reasons.length === 0) return table
  return `${table}\n\n${textTable(['model', 'skipped', 'because'], reasons, ['skipped'])}`
}

function grouped(value: number): string {
  return value.toLocaleString('en')
}
