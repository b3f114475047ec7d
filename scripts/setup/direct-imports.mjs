import { dirname, join, relative, sep } from 'node:path'

const fromIndex = /^(import|export) (type )?\{([^}]*)\} from '(\.[^']*\/(?:index|worker)\.ts)'$/gm
const reExport = /^export (type )?\{([^}]*)\} from '(\.[^']+)'$/gm

/**
 * Replaces the imports from each `index.ts` or `worker.ts` in a source by imports from the files that declare the names. Lines keep
 * their numbers. esbuild gives a bundled script each file that it reaches through any import, used or not, so
 * a worker would otherwise load everything that an `index.ts` exports for other scripts.
 *
 * @param path Path of the source, such as `src/geo/wkb.ts`.
 * @param text Text of the source.
 * @param textOf Returns the text of a source; undefined if there is none.
 */
export function importDirectly(path, text, textOf) {
  if (/\bimport\('[^']*\/index\.ts'\)/.test(text))
    throw new Error(`${path} loads an index.ts later: load the file with the code instead`)
  return text.replace(fromIndex, (statement, word, type, list, specifier) => {
    const index = join(dirname(path), specifier).replaceAll(sep, '/')
    const exported = exportsOf(index, textOf(index) ?? '')
    const lists = new Map()
    for (const { imported, local } of type === undefined ? namesIn(list) : []) {
      const { file, name } = exported.get(imported) ?? { file: index, name: imported }
      const names = lists.get(file) ?? []
      lists.set(file, [...names, name === local ? name : `${name} as ${local}`])
    }
    const statements = [...lists].map(
      ([file, names]) => `${word} { ${names.join(', ')} } from '${relativeTo(path, file)}'`,
    )
    return statements.join(';') + '\n'.repeat(statement.split('\n').length - 1)
  })
}

/** Name -> file that an `index.ts` exports it from, and its name there. */
function exportsOf(index, text) {
  const exported = new Map()
  for (const [, type, list, specifier] of text.matchAll(reExport)) {
    const file = join(dirname(index), specifier).replaceAll(sep, '/')
    for (const { imported, local } of type === undefined ? namesIn(list) : [])
      exported.set(local, { file, name: imported })
  }
  return exported
}

/** Returns the names of an import or export list, without types. */
function namesIn(list) {
  const entries = list.split(',').map((entry) => entry.trim())
  return entries
    .filter((entry) => entry !== '' && !entry.startsWith('type '))
    .map((entry) => {
      const [imported, local = imported] = entry.split(' as ')
      return { imported, local }
    })
}

function relativeTo(path, file) {
  const found = relative(dirname(path), file).replaceAll(sep, '/')
  return found.startsWith('.') ? found : `./${found}`
}
