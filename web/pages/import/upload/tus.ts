import { NoAnswer, Refusal } from '../../../api/client.ts'
import { addressOf } from '../../../lib/base.ts'
import { session } from '../../../session/session.ts'

/** An upload in `/rest/uploads`. */
export interface UploadResponse {
  id: string
  name: string
  folder?: string
  modified?: string
  offset: number
  length: number
}

const tusVersion = '1.0.0'
const pieceType = 'application/offset+octet-stream'

interface Sent {
  method: 'POST' | 'PATCH'
  path: string
  headers: Record<string, string>
  body?: Blob
  onProgress?(sent: number): void
}

/** Announces a file; gives the id of its upload. Throws `Refusal` and `NoAnswer`. */
export async function beginUpload(file: File, folder: string, signal: AbortSignal): Promise<string> {
  const path = folder === '' ? '' : `${folder}/${file.name}`
  const reported = [
    ['filename', file.name],
    ['lastModified', new Date(file.lastModified).toISOString()],
    ...(path === '' ? [] : [['relativePath', path]]),
  ]
  const metadata = reported.map(([key, value = '']) => `${key} ${base64(value)}`).join(',')
  const headers = { 'upload-length': String(file.size), 'upload-metadata': metadata }
  const request = await exchange({ method: 'POST', path: '/rest/uploads', headers }, signal)
  return (request.getResponseHeader('location') ?? '').split('/').at(-1) ?? ''
}

/**
 * Sends a piece that begins at `offset`. Throws `Refusal` and `NoAnswer`; the server stores the part received
 * until then.
 */
export async function sendPiece(
  id: string,
  { offset, body }: { offset: number; body: Blob },
  onProgress: (sent: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const headers = { 'content-type': pieceType, 'upload-offset': String(offset) }
  await exchange({ method: 'PATCH', path: `/rest/uploads/${id}`, headers, body, onProgress }, signal)
}

/** `fetch` reports no upload progress. */
function exchange(
  { method, path, headers, body, onProgress }: Sent,
  signal: AbortSignal,
): Promise<XMLHttpRequest> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open(method, addressOf(path))
    const token = session.peek()?.csrfToken
    const all = { accept: 'application/json', 'tus-resumable': tusVersion, ...headers }
    for (const [name, value] of Object.entries(all)) request.setRequestHeader(name, value)
    if (token !== undefined) request.setRequestHeader('x-csrf-token', token)
    if (onProgress !== undefined) request.upload.onprogress = ({ loaded }) => onProgress(loaded)
    const stop = (): void => request.abort()
    request.onloadend = () => signal.removeEventListener('abort', stop)
    request.onload = () => {
      if (request.status < 300) resolve(request)
      else reject(refusalOf(request))
    }
    request.onerror = () => reject(new NoAnswer())
    request.onabort = () => reject(signal.reason)
    signal.addEventListener('abort', stop)
    if (signal.aborted) reject(signal.reason)
    else request.send(body ?? null)
  })
}

/** Base64 of the text's bytes in UTF-8. */
function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)))
}

function refusalOf({ status, responseText }: XMLHttpRequest): Refusal {
  try {
    const { code = '', detail = String(status) } = JSON.parse(responseText) as {
      code?: string
      detail?: string
    }
    return new Refusal(status, code, detail)
  } catch {
    return new Refusal(status, '', String(status))
  }
}
