/** Contact for a layer, extracted from a text. */
export interface Contact {
  /** The text without mail and web address. */
  name: string
  email?: string
  address?: string
}

const emailIn = /[^\s<>()[\],;:"]+@[^\s<>()[\],;:"]+\.[a-z\d-]{2,}/i
const addressIn = /https?:\/\/[^\s<>"]+/i

/** Extracts name, mail and web address from a text such as `City <maps@city.example>`. */
export function readContact(text: string): Contact {
  const email = emailIn.exec(text)?.[0].replace(/^mailto:/i, '')
  const address = addressIn.exec(text)?.[0]
  const rest = [email, address].reduce<string>(
    (left, part) => (part === undefined ? left : left.replace(part, ' ')),
    text,
  )
  const name = rest.replace(/[\s<>(),;:]+/g, ' ').trim()
  return { name: name === '' ? text.trim() : name, email, address }
}
