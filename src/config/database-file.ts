/** Our own database in the data directory, in embedded use. */
export const databaseFile = 'terrane.sqlite'
