import type { Node } from 'oxc-parser'
import type { SourceFile } from './imports.ts'
import { lineAt, syntaxOf, walk } from './syntax.ts'

/**
 * Extension point of the program: named entries in a folder of their own. All other code uses the registry.
 */
export interface ExtensionPoint {
  /** Singular noun for an entry, such as `format`. */
  entry: string
  names: readonly string[]
  /** Folders and files that may distinguish its entries by name. */
  home: readonly string[]
  /** Folders to check; default: all of `src/`. For names that are also common words. */
  within?: readonly string[]
}

/**
 * Returns one message for each place outside the home folders that distinguishes the entries of an extension
 * point by name.
 */
export function typeNameProblems(
  files: Pick<SourceFile, 'path' | 'text'>[],
  extensionPoints: readonly ExtensionPoint[],
): string[] {
  return files
    .filter(({ path }) => path.startsWith('src/') && !path.endsWith('.test.ts'))
    .flatMap((file) => {
      const requested = extensionPoints.filter((extensionPoint) => isRequested(extensionPoint, file.path))
      const problems: string[] = []
      walk(syntaxOf(file).program, (node, around) => {
        const name = comparedName(node, around) ?? keyName(node, around)
        const isKey = around.at(-1)?.type === 'Property'
        const extensionPoint = requested.find(
          ({ names, within }) => names.includes(name ?? '') && !(isKey && within),
        )
        if (extensionPoint === undefined) return
        const place = `${file.path}:${lineAt(file.text, node.start)}`
        problems.push(
          `${place} asks for the ${extensionPoint.entry} "${name}" by name, outside ${extensionPoint.home.join(', ')}`,
        )
      })
      return problems
    })
}

function isRequested({ home, within = ['src'] }: ExtensionPoint, path: string): boolean {
  const isIn = (place: string): boolean => path === place || path.startsWith(`${place}/`)
  return within.some(isIn) && !home.some(isIn)
}

/**
 * Returns the text that this node distinguishes by: an operand of a comparison, a case, or an element of a
 * searched list.
 */
function comparedName(node: Node, around: Node[]): string | undefined {
  const parent = around.at(-1)
  if (parent === undefined) return undefined
  const text = textOf(node)
  if (text === undefined) return undefined
  if (parent.type === 'BinaryExpression' && /^[!=]==?$/.test(parent.operator)) return text
  if (parent.type === 'SwitchCase') return text
  if (parent.type === 'ArrayExpression') return isSearched(around) ? text : undefined
  return undefined
}

function textOf(node: Node): string | undefined {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value
  return undefined
}

/** A key of an object, which then is a table to look things up in. */
function keyName(node: Node, around: Node[]): string | undefined {
  const parent = around.at(-1)
  if (parent?.type !== 'Property' || parent.key !== node || parent.computed || parent.shorthand)
    return undefined
  return node.type === 'Identifier' ? node.name : textOf(node)
}

/**
 * Returns true if the node is searched as a list: `[...].includes(x)`, `new Set([...])`, or the key of a pair
 * for a `Map`.
 */
function isSearched(around: Node[]): boolean {
  const outer = around
    .slice(0, -1)
    .filter(({ type }) => type !== 'ArrayExpression')
    .at(-1)
  if (outer === undefined) return false
  return outer.type === 'NewExpression' || (outer.type === 'MemberExpression' && isIncludes(outer.property))
}

function isIncludes(property: Node): boolean {
  return property.type === 'Identifier' && property.name === 'includes'
}
