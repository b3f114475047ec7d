import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const licenceFile = /^(?:licen[cs]e|copying|notice)(?:[-.].*)?$/i

/**
 * Writes the licence texts of the packages that the bundles contain. Packages with the same text share one entry.
 *
 * @param paths Paths of bundled files or folders of packages, below the root.
 */
export function writeNotices(root, paths, output) {
  const byText = new Map()
  for (const folder of packageFolders(paths)) {
    const { name, version, license, licenses } = JSON.parse(
      readFileSync(join(root, folder, 'package.json'), 'utf8'),
    )
    const licence = license ?? licenses?.map(({ type }) => type).join(' OR ') ?? 'not stated'
    const text = licenceText(join(root, folder), licence)
    byText.set(text, [...(byText.get(text) ?? []), `${name} ${version} (${licence})`])
  }
  const entries = [...byText]
    .map(([text, names]) => ({ names: [...new Set(names)].sort(), text }))
    .sort((a, b) => (a.names[0] < b.names[0] ? -1 : 1))
  const head =
    'Packages that are bundled into Terrane, with their licences. See NOTICE for data and for packages beside it.'
  const parts = entries.map(({ names, text }) => `${'-'.repeat(80)}\n${names.join('\n')}\n\n${text}`)
  writeFileSync(output, `${[head, ...parts].join('\n\n')}\n`)
}

/** Returns the folder of the package of each path, once each. */
function packageFolders(paths) {
  const folders = paths.map((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0])
  return [...new Set(folders)].filter((folder) => folder !== undefined).sort()
}

function licenceText(folder, licence) {
  const names = readdirSync(folder).filter((name) => licenceFile.test(name) && !name.endsWith('.js'))
  const texts = names
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n').trim())
  if (texts.length > 0) return texts.join('\n\n')
  const { author, contributors } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const person = author ?? contributors?.[0]
  const holder = typeof person === 'object' ? person.name : (person ?? 'its authors')
  return `Copyright ${holder}. Licensed under ${licence}; the package has no file with its text.`
}
