/** A file by name, as far as sets need it. */
export interface NamedFile {
  name: string
  folder: string
}

/** Parts of a Shapefile without which something is lost; `shp` is the main one. */
const shapefileParts = ['shp', 'shx', 'dbf', 'prj'] as const
type Part = (typeof shapefileParts)[number]

/** Files of one dataset, as far as names tell. */
export interface FileSet<F extends NamedFile> {
  /** Name of the main file, or of a folder that is one dataset. */
  name: string
  /** The main file, or the only one. */
  main: F
  /** The others, in order of their names. */
  parts: F[]
  missing: Part[]
}

/** Extensions of side files for any format, if their names match: `a.tif`, `a.tif.aux.xml`, `a.prj`. */
const companions = new Set([
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
  'vat.dbf',
  'tfw',
  'jgw',
  'pgw',
  'csvt',
  'gfs',
  'xsd',

  'shx',
  'dbf',
  'dbt',
  'fpt',
  'sbn',
  'sbx',
  'qix',
  'idx',
  'fbn',
  'fbx',
  'ain',
  'aih',
  'atx',
  'ixs',
  'mxs',
  'shp.xml',
  'dat',
  'map',
  'id',
  'ind',
  'mid',
])
const standAlone = new Set(['dbf'])

/** Groups files into datasets by the server's rules: same folder, same name, known extension. */
export function fileSets<F extends NamedFile>(files: readonly F[]): FileSet<F>[] {
  const sets = new Map<string, F[]>()
  for (const file of files) {
    const key = keyOf(file)
    const known = sets.get(key)
    if (known === undefined) sets.set(key, [file])
    else known.push(file)
  }
  return [...sets].flatMap(([key, some]) => (key.endsWith('/') ? folderSet(key, some) : setsOf(some)))
}

/** Returns a folder that is one dataset, such as a File Geodatabase. */
function folderSet<F extends NamedFile>(key: string, files: F[]): FileSet<F>[] {
  const [main, ...parts] = files.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const name = key.split('/').at(-2) ?? key
  return main === undefined ? [] : [{ name, main, parts, missing: [] }]
}

/**
 * Returns the folder of the set that lacks this part: a separately added part belongs to it. Its own folder
 * if there is no such set.
 */
export function folderOfPart({ name, folder }: NamedFile, sets: readonly FileSet<NamedFile>[]): string {
  const { base, ending } = splitName(name)
  if (folder !== '') return folder
  const lacking = sets.filter(
    ({ main, missing }) =>
      missing.some((one) => one === ending) && splitName(main.name).base.toLowerCase() === base.toLowerCase(),
  )
  return lacking.length === 1 ? (lacking[0]?.main.folder ?? folder) : folder
}

function setsOf<F extends NamedFile>(files: F[]): FileSet<F>[] {
  const sorted = files.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const mains = sorted.filter(({ name }) => !companions.has(splitName(name).ending))
  if (mains.length === 0) return orphans(sorted)
  const [first, ...others] = mains
  if (first === undefined) return []
  // Of several files with one name the Shapefile owns the parts; each of the others is a set.
  const owner = mains.find(({ name }) => splitName(name).ending === 'shp') ?? first
  const alone = [first, ...others].filter((one) => one !== owner)
  const parts = sorted.filter((one) => !mains.includes(one))
  return [withMissing(owner, parts), ...alone.map((main) => withMissing(main, []))]
}

/** Parts without what they belong to. */
function orphans<F extends NamedFile>(files: F[]): FileSet<F>[] {
  const endings = files.map(({ name }) => splitName(name).ending)
  const main =
    files[
      Math.max(
        0,
        endings.findIndex((ending) => standAlone.has(ending)),
      )
    ]
  if (main === undefined) return []
  const isShapefile = endings.includes('shx')
  const parts = files.filter((one) => one !== main)
  return [{ name: main.name, main, parts, missing: isShapefile ? ['shp'] : [] }]
}

function withMissing<F extends NamedFile>(main: F, parts: F[]): FileSet<F> {
  const { name } = main
  if (splitName(name).ending !== 'shp') return { name, main, parts, missing: [] }
  const there = new Set(parts.map(({ name }) => splitName(name).ending))
  return { name, main, parts, missing: shapefileParts.filter((one) => one !== 'shp' && !there.has(one)) }
}

/** Ends with a slash if the folder is one dataset. */
function keyOf({ name, folder }: NamedFile): string {
  const dataset = /^(.*\.gdb)(?:\/|$)/i.exec(folder)?.[1]
  if (dataset !== undefined) return `${dataset}/`
  return `${folder}/${splitName(name).base.toLowerCase()}`
}

/** `roads.tif.aux.xml` into `roads` and `aux.xml`; `roads.tif` into `roads` and `tif`. */
function splitName(name: string): { base: string; ending: string } {
  const parts = name.split('.')
  for (let from = Math.max(1, parts.length - 2); from < parts.length; from += 1) {
    const ending = parts.slice(from).join('.').toLowerCase()
    if (!companions.has(ending) && from < parts.length - 1) continue
    const base = parts.slice(0, from).join('.')
    // For `roads.tif.aux.xml` and `roads.tif.ovr` the raster's extension is not part of the name.
    const inner = /^(.+)\.(?:tiff?|shp|jpe?g|png|vrt|asc)$/i.exec(base)
    return { base: companions.has(ending) ? (inner?.[1] ?? base) : base, ending }
  }
  return { base: name, ending: '' }
}
