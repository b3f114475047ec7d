import { setTimeout as sleep } from 'node:timers/promises'
import { readField, readNumber, readString } from './json-views.ts'
import { ProgressDisplay } from './progress-display.ts'
import type { RestClient } from './rest-client.ts'
import { writeOutput } from './standard-streams.ts'

const pollMs = 300

interface GeneratedFileRequest {
  layer: string
  output: string
  /** Unit that the server counts. */
  unit: 'tiles' | 'rows'
}

/**
 * Waits for a file that the server is creating, downloads it, and deletes it on the server, also on failure.
 */
export async function fetchGeneratedFile(
  client: RestClient,
  begun: unknown,
  { layer, output, unit }: GeneratedFileRequest,
): Promise<{ download: unknown; sizeBytes: number }> {
  const display = new ProgressDisplay(process.stderr)
  const path = `/rest/downloads/${readString(readField(begun, 'download'), 'id')}`
  const remove = () => client.delete(path).catch(() => undefined)
  const stop = (): void => void remove().finally(() => process.exit(130))
  process.once('SIGINT', stop)
  try {
    const download = await waitFor(client, path, (done, total) =>
      display.update(layer, { label: layer, done, total, unit }),
    )
    if (readString(download, 'state') !== 'COMPLETE') throw new Error(readString(download, 'message'))
    const sizeBytes = readNumber(download, 'sizeBytes')
    await fetchFile(client, `${path}/file`, output, (done) =>
      display.update(layer, { label: output, done, total: sizeBytes, unit: 'bytes' }),
    )
    return { download, sizeBytes }
  } finally {
    process.off('SIGINT', stop)
    display.finish(layer)
    await remove()
  }
}

async function waitFor(
  client: RestClient,
  path: string,
  onProgress: (done: number, total: number) => void,
): Promise<unknown> {
  for (;;) {
    const download = readField(await client.get(path), 'download')
    if (!['PENDING', 'RUNNING'].includes(readString(download, 'state'))) return download
    onProgress(readNumber(download, 'progress'), readNumber(download, 'total'))
    await sleep(pollMs)
  }
}

/** An incomplete download leaves nothing, and does not change an existing file. */
async function fetchFile(
  client: RestClient,
  path: string,
  output: string,
  onReceived: (bytes: number) => void,
): Promise<void> {
  await writeOutput(output, (part) => client.download(path, part, onReceived))
}
