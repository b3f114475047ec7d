/** How long who has read something public may keep it without asking. */
export const ownMaxAgeSeconds = 300
