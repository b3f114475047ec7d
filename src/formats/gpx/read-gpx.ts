import type { DataFile, FormatMessage, FormatReading, LayerDescription, ReadContext } from '../format.ts'
import { findXmlCharset } from '../xml/charset.ts'
import { readXmlRows } from '../xml/read-rows.ts'
import { RowSurvey } from '../xml/row-survey.ts'
import { walkElements } from '../xml/walk-elements.ts'
import { XmlSource } from '../xml/xml-source.ts'
import type { GpxLayer } from './gpx-fields.ts'
import { gpxFields, gpxLayers } from './gpx-fields.ts'
import { GpxWalker } from './gpx-walker.ts'

export const gpxReading: FormatReading = {
  describe,
  read: (file, layer, context) =>
    readXmlRows(file, layer, context, {
      fields: gpxFields,
      walker: (source, reader) => new GpxWalker(source, { [layer.name]: reader }),
    }),
}

type Surveys = Partial<Record<GpxLayer, RowSurvey>>

async function describe(file: DataFile, context: ReadContext): Promise<LayerDescription[]> {
  const charset = await findXmlCharset(file.path, context)
  const surveys: Surveys = {}
  const survey = (layers: readonly GpxLayer[]): Promise<number> =>
    surveyLayers(file.path, charset.name, layers, surveys, context.signal)
  const messages = shortLinesMessages(await survey(['waypoints', 'routes', 'tracks']))
  await survey(['route_points', 'track_points'])
  if (charset.message !== undefined) messages.push(charset.message)
  return gpxLayers.flatMap((name) => {
    const found = surveys[name]
    if (found === undefined || found.rows === 0) return []
    const layer = found.layer(name, charset.name, (source) => source.replaceAll(':', '_'))
    layer.messages.push(...messages)
    return [layer]
  })
}

/** Reads the whole file once for some of its layers; returns how many of their lines had a single point. */
async function surveyLayers(
  path: string,
  charset: string,
  layers: readonly GpxLayer[],
  surveys: Surveys,
  signal: AbortSignal,
): Promise<number> {
  const source = await XmlSource.open(path, charset, signal)
  try {
    const sinks: Surveys = {}
    for (const layer of layers) sinks[layer] = surveys[layer] = new RowSurvey(gpxFields)
    const walker = new GpxWalker(source, sinks)
    for await (const _ of walkElements(source, walker));
    return walker.shortLines
  } finally {
    await source.close()
  }
}

function shortLinesMessages(count: number): FormatMessage[] {
  if (count === 0) return []
  const message = `Routes and track segments with a single point have no line (${count}); the points are kept in layers of their own`
  return [{ level: 'info', code: 'short-lines', message }]
}
