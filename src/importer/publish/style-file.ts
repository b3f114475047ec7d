import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { explain, invalid } from '../../core/errors/errors.ts'
import { readGuarded } from '../../core/files/guarded-files.ts'
import { findTextEncoding } from '../../core/text/text-encoding.ts'
import type { DataFile, FormatMessage } from '../../formats/worker.ts'
import { checkStyleDocument, convertStyle, maxStyleBytes } from '../../styles/index.ts'
import type { StyleFile, TaskRecord } from '../model/model.ts'

/** Returns the style file next to the data; SLD takes precedence over QML. */
function styleFileOf(file: DataFile | undefined): StyleFile | undefined {
  const { sld, qml } = file?.sidecars ?? {}
  if (sld !== undefined) return { format: 'sld', path: sld }
  return qml === undefined ? undefined : { format: 'qml', path: qml }
}

/**
 * Returns the document in UTF-8, whatever its XML declaration says. Throws `Failure` (`invalid`) if it is not
 * a style.
 */
export async function readOwnStyle({ format, path }: StyleFile): Promise<string> {
  const { size } = await stat(path)
  if (size > maxStyleBytes) throw invalid('invalid-style', 'The style document is larger than 5 MiB')
  const bytes = await readGuarded(path)
  const [, name = 'utf-8'] =
    /^(?:\u00EF\u00BB\u00BF)?<\?xml[^>]*encoding=["']([\w.-]+)["']/.exec(bytes.toString('latin1', 0, 200)) ??
    []
  const isWide = bytes[0] === 0xfe || bytes[0] === 0xff
  const encoding = findTextEncoding(isWide ? 'utf-16' : name) ?? findTextEncoding('utf-8')
  const text = (encoding?.decode(bytes, 0, bytes.length) ?? '').replace(/^\uFEFF/, '')
  const document = text.replace(/^(<\?xml[^>]*encoding=["'])[\w.-]+/, '$1UTF-8')
  checkStyleDocument(format, document)
  convertStyle({ name: '', format, document }, 'maplibre')
  return document
}

/** Returns the task with the style file next to its data, or with a message why that is not a valid style. */
export async function withOwnStyle(task: TaskRecord): Promise<TaskRecord> {
  const ownStyle = styleFileOf(task.files[0])
  if (ownStyle === undefined || task.layer === undefined) return task
  try {
    await readOwnStyle(ownStyle)
    return { ...task, layer: { ...task.layer, style: task.layer.name, ownStyle } }
  } catch (error) {
    const text = `"${basename(ownStyle.path)}" is not used as style: ${explain(error)}`
    const message: FormatMessage = { level: 'warning', code: 'style-not-used', message: text }
    return { ...task, messages: [...task.messages, message] }
  }
}
