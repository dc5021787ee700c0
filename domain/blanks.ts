const unseen = /[\s\p{Cf}\p{Default_Ignorable_Code_Point}]/gu

/**
 * A number, code or amount without its blanks, of whatever width, and without characters that
 * nobody sees: pasted text brings them along.
 */
export const withoutBlanks = (text: string): string => text.replace(unseen, '')

/** Fillers of Hangul and the empty Braille cell are letters or symbols, and show nothing. */
const visible = /[^\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u
/**
 * Characters that begin lines, turn the direction of what stands beside them, or make two names of
 * one that is read. Joiners stay: names in Persian and pictures of people need them.
 */
const misleading =
  /[\p{Cc}\u00ad\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0]/u

/** Whether people can read a name for what it is, wherever it stands. */
export const isReadable = (name: string): boolean => visible.test(name) && !misleading.test(name)

/** Whether anything of a text is seen. */
export const showsSomething = (text: string): boolean => visible.test(text)
