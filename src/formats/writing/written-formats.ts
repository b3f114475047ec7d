import type { FeatureFormat } from './feature-format.ts'

/** Properties of a format, available before its code is imported. */
export interface WrittenFormat {
  /** Media type with its parameters. */
  mediaType: string
  /** Other media types in requests. */
  acceptedAs?: readonly string[]
  /** File name extension, such as `.csv`. */
  ending: string
  title: string
  isText: boolean
  /** True if documents can contain links. */
  hasLinks: boolean
  load(): Promise<FeatureFormat>
}

const formats = {
  jsonfg: {
    mediaType: 'application/vnd.ogc.fg+json',
    acceptedAs: ['application/fg+json'],
    ending: '.json',
    title: 'JSON-FG',
    isText: true,
    hasLinks: true,
    load: async () => (await import('./jsonfg-format.ts')).jsonFgFormat,
  },
  csv: {
    mediaType: 'text/csv; charset=utf-8; header=present',
    ending: '.csv',
    title: 'CSV',
    isText: true,
    hasLinks: false,
    load: async () => (await import('./csv-format.ts')).csvFormat,
  },
  flatgeobuf: {
    mediaType: 'application/flatgeobuf',
    acceptedAs: ['application/vnd.flatgeobuf'],
    ending: '.fgb',
    title: 'FlatGeobuf',
    isText: false,
    hasLinks: false,
    load: async () => (await import('./flatgeobuf/flatgeobuf-format.ts')).flatGeobufFormat,
  },
  gml: {
    mediaType: 'application/gml+xml; version=3.2',
    ending: '.gml',
    title: 'GML 3.2',
    isText: true,
    hasLinks: false,
    load: async () => (await import('./gml/gml-format.ts')).gmlFormat,
  },
} satisfies Record<string, WrittenFormat>

/** Name of a format, as in the parameter `f`. */
export type WrittenFormatName = keyof typeof formats

/** Parts of documents whose frame is written elsewhere. */
const parts = {
  'wfs-members-3.2': async () => (await import('./gml/wfs-members.ts')).wfsMembers['3.2'],
  'wfs-members-3.1': async () => (await import('./gml/wfs-members.ts')).wfsMembers['3.1'],
  'wfs-members-2.1': async () => (await import('./gml/wfs-members.ts')).wfsMembers['2.1'],
  'wfs-values': async () => (await import('./gml/wfs-members.ts')).wfsValues,
} satisfies Record<string, () => Promise<FeatureFormat>>

/** Output formats of store readers. */
export type WrittenFormName = WrittenFormatName | keyof typeof parts

/** Imports the writer of a format. */
export function loadWritten(name: WrittenFormName): Promise<FeatureFormat> {
  return name in parts ? parts[name as keyof typeof parts]() : formats[name as WrittenFormatName].load()
}

/** Every format for writing features, in addition to GeoJSON. */
export const writtenFormats: Readonly<Record<WrittenFormatName, WrittenFormat>> = formats
