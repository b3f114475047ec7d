/** What the field calls a layer name: a letter of any script first, then letters, digits and `_`. */
export function toLayerName(text: string): string {
  const cleaned = text.normalize('NFC').replace(/[^\p{L}\p{M}\p{N}_]/gu, '_')
  return /^\p{L}/u.test(cleaned) ? cleaned : `a_${cleaned}`
}

/** `name`, or `name0`, `name1`, ... the first that is not taken. */
export function freeName(name: string, isTaken: (candidate: string) => boolean): string {
  if (!isTaken(name)) return name
  for (let suffix = 0; ; suffix += 1) if (!isTaken(`${name}${suffix}`)) return `${name}${suffix}`
}

/** As `freeName`, where finding out takes a look elsewhere. */
export async function findFreeName(
  name: string,
  isTaken: (candidate: string) => Promise<boolean>,
): Promise<string> {
  if (!(await isTaken(name))) return name
  for (let suffix = 0; ; suffix += 1) if (!(await isTaken(`${name}${suffix}`))) return `${name}${suffix}`
}
