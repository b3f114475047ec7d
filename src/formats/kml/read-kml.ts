import { basename, extname } from 'node:path'
import type { DataFile, FormatMessage, FormatReading, LayerDescription, ReadContext } from '../format.ts'
import { findXmlCharset } from '../xml/charset.ts'
import { readXmlRows } from '../xml/read-rows.ts'
import { RowSurvey } from '../xml/row-survey.ts'
import { walkElements } from '../xml/walk-elements.ts'
import { XmlSource } from '../xml/xml-source.ts'
import { kmlFields } from './kml-fields.ts'
import { KmlWalker } from './kml-walker.ts'

export const kmlReading: FormatReading = {
  describe,
  read: (file, layer, context) =>
    readXmlRows(file, layer, context, {
      fields: kmlFields,
      walker: (source, reader) => new KmlWalker(source, reader),
    }),
}

async function describe(file: DataFile, context: ReadContext): Promise<LayerDescription[]> {
  const charset = await findXmlCharset(file.path, context)
  const source = await XmlSource.open(file.path, charset.name, context.signal)
  try {
    const survey = new RowSurvey(kmlFields)
    const walker = new KmlWalker(source, survey, (name, type) => survey.declare(name, type))
    for await (const _ of walkElements(source, walker));
    const layer = survey.layer(basename(file.path, extname(file.path)), charset.name, (name) => name)
    if (charset.message !== undefined) layer.messages.push(charset.message)
    layer.messages.push(...messagesOf(walker))
    return [layer]
  } finally {
    await source.close()
  }
}

function messagesOf({ rows, closedRings, networkLinks, linkNames, overlays }: KmlWalker): FormatMessage[] {
  const messages: FormatMessage[] = []
  if (networkLinks > 0) {
    const names = linkNames.map((name) => `"${name}"`).join(', ')
    const more = networkLinks > linkNames.length ? ', ...' : ''
    const message = `Network links are not followed, what they point to is not loaded (${networkLinks}): ${names}${more}`
    messages.push({ level: 'warning', code: 'network-links', message })
  }
  if (overlays > 0) {
    const message = `Overlays are images and are not loaded (${overlays})`
    messages.push({ level: 'warning', code: 'overlays', message })
  }
  if (rows === 0)
    messages.push({ level: 'warning', code: 'no-placemarks', message: 'The file has no placemarks' })
  if (closedRings > 0) {
    const message = `Rings that were not closed were closed (${closedRings})`
    messages.push({ level: 'info', code: 'closed-rings', message })
  }
  return messages
}
