import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { programEnvironment } from '../lib/process.ts'
import { gridFileNames } from './crs-table.ts'

/** Where PROJ looks for grids (https://proj.org/resource_files.html), the usual places of packages included. */
function gridFolders(): string[] {
  const { PROJ_DATA, PROJ_LIB } = programEnvironment()
  const listed = [PROJ_DATA, PROJ_LIB].flatMap((path) => path?.split(':') ?? [])
  const own = join(homedir(), '.local', 'share', 'proj')
  return [...listed, own, '/usr/share/proj', '/usr/local/share/proj'].filter((folder) => folder !== '')
}

/** Whether PROJ finds the grid on this machine, under one of its names. */
export function isGridInstalled(grid: string): boolean {
  const names = gridFileNames(grid)
  return gridFolders().some((folder) => names.some((name) => existsSync(join(folder, name))))
}
