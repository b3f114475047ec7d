import { commonSidecars } from './common-sidecars.ts'
import { formats } from './registry.ts'

/** Extensions of the main files that sidecars of an extension go with; `any` for all. */
const mainsOfSidecar = new Map<string, Set<string> | 'any'>()
/** Extensions of main files that have sidecars of their own. */
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

/** The extension of a file's name in lower case, without the dot; empty where it has none. */
export function extensionOf(path: string): string {
  return /\.([^./\\]+)$/.exec(path)?.[1]?.toLowerCase() ?? ''
}

/** Whether files of an extension (`dbf`, `shp.xml`) belong to others where such stand beside them. */
export function isSidecarExtension(extension: string): boolean {
  return mainsOfSidecar.has(extension)
}

/** Whether a sidecar of an extension belongs to a main file of another. */
export function goesWith(sidecar: string, main: string): boolean {
  const mains = mainsOfSidecar.get(sidecar)
  return mains === 'any' || mains?.has(main) === true
}

/** Whether a sidecar that belongs to no file is a main file, with sidecars of its own, such as a `.dbf` alone. */
export function canStandAlone(sidecar: string): boolean {
  return withSidecars.has(sidecar)
}

/** Extensions of the sidecars without which a file of this extension is not whole, in the order to ask for them. */
export function fetchedSidecars(extension: string): readonly string[] {
  return formats.find(({ extensions }) => extensions.includes(extension))?.fetchedSidecars ?? []
}

/** Whether a folder of this name is one dataset and no folder of files. */
export function isFolderDataset(name: string): boolean {
  return folders.some(({ extensions }) => extensions.includes(extensionOf(name)))
}

/** Whether these are the files of a folder of this name that is one dataset. */
export function isFolderContent(name: string, files: readonly string[]): boolean {
  const extension = extensionOf(name)
  return folders.some(
    ({ extensions, holds }) => extensions.includes(extension) && files.some((file) => holds.test(file)),
  )
}

/** The name without the ending of a folder that is one dataset. */
export function withoutFolderEnding(name: string): string {
  return isFolderDataset(name) ? name.slice(0, name.lastIndexOf('.')) : name
}

/** Extensions of the files that servers send as a media type, the usual one first; empty for types of no format. */
export function extensionsOfMediaType(type: string): readonly string[] {
  return mediaTypes.get(type) ?? []
}

/** Extensions that go with some media type. */
export const extensionsWithMediaType: ReadonlySet<string> = new Set([...mediaTypes.values()].flat())
