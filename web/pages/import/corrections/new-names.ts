/** Rule for deriving names. */
export interface NameRule {
  find: string
  replace: string
  prefix: string
  suffix: string
  isLowerCase: boolean
}

export const noNameRule: NameRule = { find: '', replace: '', prefix: '', suffix: '', isLowerCase: false }

export function newName(name: string, { find, replace, prefix, suffix, isLowerCase }: NameRule): string {
  const replaced = find === '' ? name : name.replaceAll(find, () => replace)
  const made = `${prefix}${replaced}${suffix}`.trim()
  return isLowerCase ? made.toLowerCase() : made
}

/** Finds duplicate and empty names. */
export function nameFaults(names: readonly string[]): { twice: string[]; hasEmpty: boolean } {
  const seen = new Set<string>()
  const twice = new Set<string>()
  for (const name of names) {
    if (seen.has(name)) twice.add(name)
    seen.add(name)
  }
  return { twice: [...twice].filter((name) => name !== ''), hasEmpty: seen.has('') }
}
