import { addressOf } from '../../lib/base.ts'
import { session } from '../../session/session.ts'
import { NoAnswer, Refusal } from '../../wire/client.ts'

/** Files that somebody dropped, those in folders too, each with its path below what was dropped. */
export async function droppedFiles(data: DataTransfer): Promise<File[]> {
  const entries = [...data.items].flatMap((item) => {
    const entry = item.webkitGetAsEntry()
    return entry === null ? [] : [entry]
  })
  const found = await Promise.all(entries.map(filesOf))
  return found.flat()
}

async function filesOf(entry: FileSystemEntry): Promise<File[]> {
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => {
      ;(entry as FileSystemFileEntry).file(resolve, reject)
    })
    return [file]
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  const files: File[] = []
  for (;;) {
    // A reader gives some hundred entries at a time, and none at the end.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    )
    if (some.length === 0) return files
    for (const one of some) files.push(...(await filesOf(one)))
  }
}

/** Sends files to an import as one form, and tells how many bytes have gone. Throws `Refusal` and `NoAnswer`. */
export function uploadFiles(
  importId: number,
  files: readonly File[],
  onProgress: (sent: number, total: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const form = new FormData()
  for (const file of files) form.append('filedata', file, file.name)
  return new Promise((resolve, reject) => {
    // `fetch` does not tell how much of a body has gone.
    const request = new XMLHttpRequest()
    request.open('POST', addressOf(`/rest/imports/${importId}/tasks`))
    request.setRequestHeader('accept', 'application/json')
    const token = session.peek()?.csrfToken
    if (token !== undefined) request.setRequestHeader('x-csrf-token', token)
    request.upload.onprogress = ({ loaded, total }) => onProgress(loaded, total)
    request.onload = () => {
      if (request.status < 300) resolve()
      else reject(refusalOf(request))
    }
    request.onerror = () => reject(new NoAnswer())
    request.onabort = () => reject(signal.reason)
    signal.addEventListener('abort', () => request.abort())
    request.send(form)
  })
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
