import type { FormatField } from '../xml/row-survey.ts'
import type { KmlWord } from './kml-words.ts'

/** Attributes that any placemark may have; those without values in a file are omitted. */
export const kmlFields = [
  { name: 'Name', type: 'string' },
  { name: 'Description', type: 'string' },
  { name: 'Folder', type: 'string' },
  { name: 'timestamp', type: 'timestamp' },
  { name: 'begin', type: 'timestamp' },
  { name: 'end', type: 'timestamp' },
  { name: 'altitudeMode', type: 'string' },
  { name: 'tessellate', type: 'bool' },
  { name: 'extrude', type: 'bool' },
  { name: 'visibility', type: 'bool' },
  { name: 'drawOrder', type: 'int' },
  { name: 'Snippet', type: 'string' },
  { name: 'address', type: 'string' },
  { name: 'phoneNumber', type: 'string' },
  { name: 'placemarkId', type: 'string' },
] as const satisfies readonly FormatField[]

type FieldName = (typeof kmlFields)[number]['name']

/** Returns the number of a field. */
export function kmlField(name: FieldName): number {
  return kmlFields.findIndex((field) => field.name === name)
}

/** Elements whose text is the value of a field. */
export const fieldOfElement: Partial<Record<KmlWord, FieldName>> = {
  name: 'Name',
  description: 'Description',
  Snippet: 'Snippet',
  snippet: 'Snippet',
  address: 'address',
  phoneNumber: 'phoneNumber',
  visibility: 'visibility',
  altitudeMode: 'altitudeMode',
  tessellate: 'tessellate',
  extrude: 'extrude',
  drawOrder: 'drawOrder',
  when: 'timestamp',
  begin: 'begin',
  end: 'end',
}
