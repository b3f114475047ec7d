import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { programEnvironment } from '../lib/process.ts'
import { gridFileNames } from './crs-table.ts'

/**
 * Returns the folders where PROJ searches for grids (https://proj.org/resource_files.html), including the
 * usual package folders.
 */
function gridFolders(): string[] {
  const { PROJ_DATA, PROJ_LIB } = programEnvironment()
  const listed = [PROJ_DATA, PROJ_LIB].flatMap((path) => path?.split(':') ?? [])
  const own = join(homedir(), '.local', 'share', 'proj')
  return [...listed, own, '/usr/share/proj', '/usr/local/share/proj'].filter((folder) => folder !== '')
}

/** True if PROJ finds the grid on this machine, under one of its names. */
export function isGridInstalled(grid: string): boolean {
  const names = gridFileNames(grid)
  return gridFolders().some((folder) => names.some((name) => existsSync(join(folder, name))))
}
