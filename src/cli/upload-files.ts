import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, extname, join, relative, sep } from 'node:path'
import type { UploadFile } from './multipart.ts'
import { UsageError } from './options.ts'

// Files that belong to a shapefile of the same base name.
const sidecars = new Set('.shx .dbf .dbt .fpt .cst .prj .cpg .qix .qpj .sbn .sbx .shp.xml'.split(' '))

/** The files that stand for a path: a folder's whole content, a shapefile with its sidecars, or one file. */
export async function filesToUpload(path: string): Promise<UploadFile[]> {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) throw new UsageError(`${path} does not exist`)
  if (found.isDirectory()) return folderFiles(path)
  if (extname(path).toLowerCase() !== '.shp') return [await uploadFile(path, basename(path))]
  const folder = dirname(path)
  const base = baseName(path)
  const names = await readdir(folder)
  const ours = names.filter((name) => name === basename(path) || (baseName(name) === base && isSidecar(name)))
  return Promise.all(ours.map((name) => uploadFile(join(folder, name), name)))
}

/** Leaves out the sidecars of shapefiles that are named too, so that `*` does what was meant. */
export function mainPaths(paths: string[]): string[] {
  const shapefiles = new Set(
    paths
      .filter((path) => extname(path).toLowerCase() === '.shp')
      .map((path) => join(dirname(path), baseName(path))),
  )
  return paths.filter((path) => !isSidecar(path) || !shapefiles.has(join(dirname(path), baseName(path))))
}

async function folderFiles(folder: string): Promise<UploadFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
  return Promise.all(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name)
      return uploadFile(path, relative(folder, path).split(sep).join('/'))
    }),
  )
}

async function uploadFile(path: string, name: string): Promise<UploadFile> {
  return { path, name, sizeBytes: (await stat(path)).size }
}

function isSidecar(path: string): boolean {
  return sidecars.has(ending(path))
}

function ending(path: string): string {
  const name = basename(path).toLowerCase()
  return name.endsWith('.shp.xml') ? '.shp.xml' : extname(name)
}

function baseName(path: string): string {
  const name = basename(path)
  return name.slice(0, name.length - ending(path).length)
}
