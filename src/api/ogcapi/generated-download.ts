import { Failure } from '../../core/errors/errors.ts'
import { type DownloadRecord, type Downloads, formatsOfFiles } from '../../render/index.ts'
import type { FastifyReply, FastifyRequest } from '../app-types.ts'
import { keepPrivately } from '../caching.ts'
import { toCrsUri } from '../crs-uris.ts'
import { clientSignal } from '../request-properties.ts'
import { dispositionOf, downloadPath } from '../rest/downloads/download-response.ts'
import { sendFile, sendStoredFile } from '../send-file.ts'

/** Waits for the file at most this long, and returns its record. Cancels the download if the client disconnects. */
export async function waitForDownload(
  downloads: Downloads,
  record: DownloadRecord,
  seconds: number,
  reply: FastifyReply,
): Promise<DownloadRecord> {
  if (seconds === 0) return record
  const gone = clientSignal(reply)
  try {
    await downloads.files.wait(record.id, AbortSignal.any([gone, AbortSignal.timeout(seconds * 1000)]))
  } catch (error) {
    await downloads.files.remove(record.id)
    throw error
  }
  if (gone.aborted) await downloads.files.remove(record.id)
  return (await downloads.files.get(record.id)).record
}

/** Sends the file, with its losses in a header. */
export async function sendDownload(
  downloads: Downloads,
  record: DownloadRecord,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { mediaType } = formatsOfFiles[record.format]
  const path = downloads.files.filePath(record)
  const { srs, losses = [] } = record
  keepPrivately(reply)
  reply.header('content-disposition', dispositionOf(record))
  reply.header('terrane-losses', lossesHeader(losses))
  reply.header('content-location', request.link(`${downloadPath(record)}/file`))
  if (srs !== undefined) reply.header('content-crs', `<${toCrsUri(srs)}>`)
  const stored = await downloads.files.findStored(record)
  if (stored !== undefined)
    return sendStoredFile(request, reply, { ...stored, redirects: false }, { mediaType })
  if (path !== undefined && (await sendFile(request, reply, { path, mediaType, isLinkAllowed: false })))
    return reply
  throw new Failure('unavailable', 'download-failed', 'The file has been deleted: request it again')
}

/** Most characters of a header that every client takes. */
const maxHeader = 3500

/** Texts separated by commas, each percent-encoded; those that there is no place for are in the document of the download. */
function lossesHeader(losses: readonly string[]): string {
  let header = ''
  for (const loss of losses.map((text) => encodeURIComponent(text).replaceAll('%20', ' '))) {
    const longer = header === '' ? loss : `${header}, ${loss}`
    if (longer.length > maxHeader) break
    header = longer
  }
  return header
}
