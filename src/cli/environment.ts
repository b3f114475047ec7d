/** Environment variables, as the process was given them. */
export type Environment = Record<string, string | undefined>
