import type { Node } from 'oxc-parser'
import { DependencyTypes } from './dependency-types.ts'
import type { SourceFile } from './imports.ts'
import { lineAt, syntaxOf, walk } from './syntax.ts'

/** Members that a type may have without regard to their use. */
const maxMembers = 2

/** Functions that may take a container and use fewer than half of its members: `path#function`, with the reason. */
const exceptions: Readonly<Record<string, string>> = {}

/** A parameter whose type is a container of dependencies. */
interface WideParameter {
  path: string
  line: number
  name: string
  type: string
  members: ReadonlySet<string>
  used: Set<string>
  /** Parameters that receive the whole container. */
  passedTo: { fn: Node; index: number }[]
}

/**
 * Finds parameters that receive more dependencies than the function uses: below `src/api` any, elsewhere if it uses
 * fewer than half. A container is a type of the project with more than two members, at least two of which are services:
 * classes, parts of classes, or interfaces with methods; an interface that mostly has methods is a service itself. A
 * function that passes the container on to another function uses what that function uses; other uses of the whole
 * container count as uses of all members.
 *
 * @returns one message for each parameter
 */
export function wideParameterProblems(files: Pick<SourceFile, 'path' | 'text'>[]): string[] {
  const sources = files.filter(({ path }) => path.startsWith('src/') && !path.endsWith('.test.ts'))
  const types = new DependencyTypes(sources)
  const found = new Map<Node, Map<number, WideParameter>>()
  for (const file of sources) {
    walk(syntaxOf(file).program, (node, around) => {
      for (const [index, parameter] of parametersOf(node).entries()) {
        const wide = wideParameter(types, file, parameter, nameOf(node, around))
        if (wide === undefined) continue
        found.set(node, (found.get(node) ?? new Map()).set(index, wide))
        readUses(types, wide, parameter, node)
      }
    })
  }
  const all = [...found.values()].flatMap((parameters) => [...parameters.values()])
  addPassedUses(all, found)
  return all
    .filter(({ path, members, used }) => used.size * (path.startsWith('src/api/') ? 1 : 2) < members.size)
    .filter(({ path, name }) => exceptions[`${path}#${name}`] === undefined)
    .map(
      ({ path, line, name, type, members, used }) =>
        `${path}:${line} ${name} uses ${used.size} of ${members.size} members of ${type}: take these as parameters`,
    )
}

function parametersOf(node: Node): readonly Node[] {
  switch (node.type) {
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      return node.params
    default:
      return []
  }
}

function nameOf(node: Node, around: Node[]): string {
  if (node.type === 'FunctionDeclaration' && node.id !== null) return node.id.name
  const parent = around.at(-1)
  if (parent?.type === 'VariableDeclarator' && parent.id.type === 'Identifier') return parent.id.name
  if (parent !== undefined && 'key' in parent && parent.key?.type === 'Identifier') return parent.key.name
  return 'a function'
}

function wideParameter(
  types: DependencyTypes,
  { path, text }: Pick<SourceFile, 'path' | 'text'>,
  parameter: Node,
  name: string,
): WideParameter | undefined {
  const type = 'typeAnnotation' in parameter ? parameter.typeAnnotation : undefined
  if (type?.type !== 'TSTypeAnnotation') return undefined
  const { typeAnnotation } = type
  const members = types.membersOf(typeAnnotation, path)
  if (members === undefined || members.size <= maxMembers) return undefined
  const methods = [...members.values()].filter(({ node }) => node.type === 'TSMethodSignature')
  if (methods.length * 2 >= members.size) return undefined
  const services = [...members.values()].filter(
    ({ node, path: home }) =>
      node.type === 'TSPropertySignature' &&
      node.typeAnnotation != null &&
      types.isService(node.typeAnnotation.typeAnnotation, home),
  )
  if (services.length < 2) return undefined
  return {
    path,
    line: lineAt(text, parameter.start),
    name,
    type: text.slice(typeAnnotation.start, typeAnnotation.end).replace(/\s+/g, ' '),
    members: new Set(members.keys()),
    used: new Set(),
    passedTo: [],
  }
}

function readUses(types: DependencyTypes, wide: WideParameter, parameter: Node, fn: Node): void {
  if (parameter.type !== 'Identifier') {
    addPattern(wide, parameter)
    return
  }
  const { name } = parameter
  walk(fn, (node, around) => {
    if (node.type !== 'Identifier' || node.name !== name || node === parameter) return
    const parent = around.at(-1)
    if (parent === undefined || isKey(node, parent)) return
    const called = calledWith(types, wide.path, node, parent)
    if (parent.type === 'MemberExpression') addMember(wide, parent)
    else if (parent.type === 'VariableDeclarator' && parent.init === node) addPattern(wide, parent.id)
    else if (called === undefined) addAll(wide)
    else wide.passedTo.push(called)
  })
}

/** True if an identifier is a name inside another object: `x.name`, `{ name: x }`. */
function isKey(node: Node, parent: Node): boolean {
  if (parent.type === 'MemberExpression') return parent.property === node && !parent.computed
  return parent.type === 'Property' && parent.key === node && !parent.computed && !parent.shorthand
}

function addMember(wide: WideParameter, { property }: { property: Node }): void {
  if (property.type === 'Identifier') wide.used.add(property.name)
  else addAll(wide)
}

function addPattern(wide: WideParameter, pattern: Node): void {
  if (pattern.type !== 'ObjectPattern') {
    addAll(wide)
    return
  }
  for (const one of pattern.properties) {
    if (one.type === 'Property' && one.key.type === 'Identifier') wide.used.add(one.key.name)
    else addAll(wide)
  }
}

function addAll({ members, used }: WideParameter): void {
  for (const member of members) used.add(member)
}

function calledWith(
  types: DependencyTypes,
  path: string,
  argument: Node,
  call: Node,
): { fn: Node; index: number } | undefined {
  if (call.type !== 'CallExpression' || call.callee.type !== 'Identifier') return undefined
  const index = call.arguments.findIndex((one) => one === argument)
  const fn = types.findFunction(path, call.callee.name)
  return index < 0 || fn === undefined ? undefined : { fn: fn.node, index }
}

/** Adds the members that are used by the functions a container is passed to, until nothing changes. */
function addPassedUses(all: WideParameter[], found: Map<Node, Map<number, WideParameter>>): void {
  for (let isChanged = true; isChanged; ) {
    isChanged = false
    for (const wide of all) {
      const before = wide.used.size
      for (const { fn, index } of wide.passedTo) {
        const used = found.get(fn)?.get(index)?.used ?? wide.members
        for (const member of used) if (wide.members.has(member)) wide.used.add(member)
      }
      if (wide.used.size > before) isChanged = true
    }
  }
}
