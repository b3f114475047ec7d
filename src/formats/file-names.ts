import { formats } from './registry.ts'

/**
 * Extensions of sidecar files of any main file: raster attribute tables, CRS, encoding, style, and files that
 * GDAL writes next to rasters.
 */
export const commonSidecars: readonly string[] = [
  'vat.dbf',
  'prj',
  'cpg',
  'qpj',
  'qmd',
  'sld',
  'qml',
  'aux',
  'aux.xml',
  'wld',
  'rrd',
  'ovr',
  'msk',
]

/** Extensions of the main files of each sidecar extension; `any` for all. */
const mainsOfSidecar = new Map<string, Set<string> | 'any'>()
/** Extensions of main files with sidecars. */
const withSidecars = new Set<string>()
for (const { extensions, sidecars = [] } of formats) {
  for (const { endings, of = extensions } of sidecars) {
    for (const main of of) withSidecars.add(main)
    for (const ending of endings) {
      const known = mainsOfSidecar.get(ending)
      mainsOfSidecar.set(ending, new Set([...(known === undefined || known === 'any' ? [] : known), ...of]))
    }
  }
}
for (const ending of commonSidecars) mainsOfSidecar.set(ending, 'any')

const folders = formats.flatMap(({ folder }) => folder ?? [])
const mediaTypes = new Map(formats.flatMap((format) => Object.entries(format.mediaTypes ?? {})))

/** Returns the extension of a file name in lower case, without the dot; empty if there is none. */
export function extensionOf(path: string): string {
  return /\.([^./\\]+)$/.exec(path)?.[1]?.toLowerCase() ?? ''
}

/** True if files of an extension (`dbf`, `shp.xml`) are sidecars of matching main files next to them. */
export function isSidecarExtension(extension: string): boolean {
  return mainsOfSidecar.has(extension)
}

/** True if a sidecar extension belongs to a main file with another extension. */
export function goesWith(sidecar: string, main: string): boolean {
  const mains = mainsOfSidecar.get(sidecar)
  return mains === 'any' || mains?.has(main) === true
}

/** True if a sidecar without a main file is a main file with sidecars of its own, such as a single `.dbf`. */
export function canStandAlone(sidecar: string): boolean {
  return withSidecars.has(sidecar)
}

/** Returns the extensions of required sidecars of a file with this extension, in request order. */
export function fetchedSidecars(extension: string): readonly string[] {
  return formats.find(({ extensions }) => extensions.includes(extension))?.fetchedSidecars ?? []
}

/** True if a folder of this name is a dataset and not a folder of files. */
export function isFolderDataset(name: string): boolean {
  return folders.some(({ extensions }) => extensions.includes(extensionOf(name)))
}

/** True if these are the files of a folder dataset with this name. */
export function isFolderContent(name: string, files: readonly string[]): boolean {
  const extension = extensionOf(name)
  return folders.some(
    ({ extensions, holds }) => extensions.includes(extension) && files.some((file) => holds.test(file)),
  )
}

/** Returns the name without the extension of a folder dataset. */
export function withoutFolderEnding(name: string): string {
  return isFolderDataset(name) ? name.slice(0, name.lastIndexOf('.')) : name
}

/** Returns the file extensions of a media type, the usual one first; empty if no format has the type. */
export function extensionsOfMediaType(type: string): readonly string[] {
  return mediaTypes.get(type) ?? []
}

/** Extensions with a media type. */
export const extensionsWithMediaType: ReadonlySet<string> = new Set([...mediaTypes.values()].flat())
