import { posix } from 'node:path'
import type { Node } from 'oxc-parser'
import type { SourceFile } from './imports.ts'
import { syntaxOf } from './syntax.ts'

type Text = Pick<SourceFile, 'path' | 'text'>

interface Declarations {
  /** Interfaces, type aliases and classes. */
  types: Map<string, Node>
  /** Functions declared at the top level. */
  functions: Map<string, Node>
  /** Imported names, with the file and the exported name. */
  imports: Map<string, { path: string; name: string }>
}

/** A declaration with the file that contains it. */
export interface Declared {
  path: string
  node: Node
}

/** Finds declarations by name and lists the members of types, across files, without a type checker. */
export class DependencyTypes {
  readonly #files: Map<string, Declarations>
  readonly #members = new Map<Node, Map<string, Declared> | undefined>()

  constructor(files: readonly Text[]) {
    this.#files = new Map(files.map((file) => [file.path, declarationsOf(file)]))
  }

  /** Returns the top-level function with this name in a file, or the one that the file imports. */
  findFunction(path: string, name: string): Declared | undefined {
    return this.#find(path, name, 'functions')
  }

  /** Returns the members of a type; undefined if the type is not made of interfaces of the project. */
  membersOf(type: Node, path: string): Map<string, Declared> | undefined {
    if (!this.#members.has(type)) {
      // A type that refers to itself has no members while they are listed.
      this.#members.set(type, undefined)
      this.#members.set(type, this.#readMembers(type, path))
    }
    return this.#members.get(type)
  }

  /** Returns true if a type is a class of the project, part of one, or an interface with methods. */
  isService(type: Node, path: string): boolean {
    if (type.type !== 'TSTypeReference' || type.typeName.type !== 'Identifier') return false
    const { name } = type.typeName
    const [first] = type.typeArguments?.params ?? []
    if (name === 'Pick' && first !== undefined) return this.isService(first, path)
    const declared = this.#find(path, name, 'types')
    if (declared === undefined) return false
    const { node } = declared
    if (node.type === 'ClassDeclaration') return true
    if (node.type === 'TSTypeAliasDeclaration') return this.isService(node.typeAnnotation, declared.path)
    return (
      node.type === 'TSInterfaceDeclaration' &&
      node.body.body.some(({ type: kind }) => kind === 'TSMethodSignature')
    )
  }

  #readMembers(type: Node, path: string): Map<string, Declared> | undefined {
    if (type.type === 'TSIntersectionType') {
      const all = type.types.map((one) => this.membersOf(one, path))
      return new Map(all.flatMap((members) => [...(members ?? [])]))
    }
    if (type.type === 'TSTypeReference' && type.typeName.type === 'Identifier')
      return this.#namedMembers(type.typeName.name, type.typeArguments?.params ?? [], path)
    return undefined
  }

  #namedMembers(
    name: string,
    [first, second]: readonly Node[],
    path: string,
  ): Map<string, Declared> | undefined {
    if ((name === 'Pick' || name === 'Omit') && first !== undefined && second !== undefined) {
      const names = literalsOf(second)
      const members = [...(this.membersOf(first, path) ?? [])]
      return new Map(members.filter(([member]) => names.includes(member) === (name === 'Pick')))
    }
    const declared = this.#find(path, name, 'types')
    if (declared?.node.type === 'TSTypeAliasDeclaration')
      return this.membersOf(declared.node.typeAnnotation, declared.path)
    if (declared?.node.type !== 'TSInterfaceDeclaration') return undefined
    const { node, path: home } = declared
    const inherited = node.extends.flatMap(({ expression, typeArguments }) =>
      expression.type === 'Identifier'
        ? [...(this.#namedMembers(expression.name, typeArguments?.params ?? [], home) ?? [])]
        : [],
    )
    const own = node.body.body.flatMap((member): [string, Declared][] =>
      'key' in member && member.key.type === 'Identifier'
        ? [[member.key.name, { path: home, node: member }]]
        : [],
    )
    return new Map([...inherited, ...own])
  }

  #find(path: string, name: string, kind: 'types' | 'functions'): Declared | undefined {
    const file = this.#files.get(path)
    const node = file?.[kind].get(name)
    if (node !== undefined) return { path, node }
    const source = file?.imports.get(name)
    return source === undefined ? undefined : this.#find(source.path, source.name, kind)
  }
}

function literalsOf(type: Node): string[] {
  if (type.type === 'TSUnionType') return type.types.flatMap(literalsOf)
  if (type.type !== 'TSLiteralType' || type.literal.type !== 'Literal') return []
  return [String(type.literal.value)]
}

function declarationsOf(file: Text): Declarations {
  const found: Declarations = { types: new Map(), functions: new Map(), imports: new Map() }
  for (const statement of syntaxOf(file).program.body) {
    if (statement.type === 'ImportDeclaration' || statement.type === 'ExportNamedDeclaration')
      addImports(found, file.path, statement)
    const node = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
    switch (node?.type) {
      case 'TSInterfaceDeclaration':
      case 'TSTypeAliasDeclaration':
        found.types.set(node.id.name, node)
        break
      case 'ClassDeclaration':
        if (node.id !== null) found.types.set(node.id.name, node)
        break
      case 'FunctionDeclaration':
        if (node.id !== null) found.functions.set(node.id.name, node)
        break
      case 'VariableDeclaration':
        for (const { id, init } of node.declarations)
          if (id.type === 'Identifier' && init?.type === 'ArrowFunctionExpression')
            found.functions.set(id.name, init)
    }
  }
  return found
}

function addImports(found: Declarations, path: string, statement: Node): void {
  if (statement.type !== 'ImportDeclaration' && statement.type !== 'ExportNamedDeclaration') return
  if (statement.source === null || !statement.source.value.startsWith('.')) return
  const from = posix.join(posix.dirname(path), statement.source.value)
  for (const one of statement.specifiers) {
    if (one.type === 'ImportSpecifier' && one.imported.type === 'Identifier')
      found.imports.set(one.local.name, { path: from, name: one.imported.name })
    if (
      one.type === 'ExportSpecifier' &&
      one.local.type === 'Identifier' &&
      one.exported.type === 'Identifier'
    )
      found.imports.set(one.exported.name, { path: from, name: one.local.name })
  }
}
