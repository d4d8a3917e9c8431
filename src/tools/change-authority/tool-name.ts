/** The tool that changes who may do what. */
export const CHANGE_AUTHORITY = "change_authority";
