//! Opens what a user names: a story, a folder, a PDDL domain with its problem.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use dramaturg_model::{Diagnostic, FileId, Model, Sources, sort_diagnostics};
use dramaturg_story::pddl::{PddlOptions, compile_pddl};
use dramaturg_story::syntax::parse_story;
use dramaturg_story::syntax::tree::ItemKind;
use dramaturg_story::{Compilation, Files, compile};

use crate::disk::{DiskFiles, written};

/// What was opened: its texts, the model as far as it could be understood, and everything there is to say about it.
#[derive(Clone, Debug)]
pub struct Opened {
    /// The files that were read.
    pub sources: Sources,
    /// The model.
    pub model: Model,
    /// What is wrong or could be better, in order of place.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether it is a file without header, which belongs to other stories: only its syntax was checked.
    pub is_part: bool,
    /// The story's root file, or the domain.
    pub root: PathBuf,
}

impl Opened {
    /// Whether nothing stops it from being used.
    pub fn is_usable(&self) -> bool {
        !self.diagnostics.iter().any(Diagnostic::is_error)
    }
}

/// Why nothing could be opened. A bad story is not among it: see [`Opened::diagnostics`].
#[derive(Debug)]
pub enum OpenError {
    /// There is no such file or folder.
    Missing {
        /// The path.
        path: PathBuf,
        /// Something that is there and spelt like it.
        near: Option<PathBuf>,
    },
    /// It is there and cannot be read.
    Unreadable {
        /// The path.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A folder in which no file begins a story.
    NoStory {
        /// The folder.
        folder: PathBuf,
    },
    /// A folder with several stories, none of which is called like it.
    ManyStories {
        /// The folder.
        folder: PathBuf,
        /// The stories.
        roots: Vec<PathBuf>,
    },
    /// A file of another kind than is needed here.
    WrongKind {
        /// The file.
        path: PathBuf,
        /// What is needed.
        wanted: &'static str,
        /// What to do instead.
        cure: &'static str,
    },
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { path, .. } => write!(f, "there is no file or folder `{}`", path.display()),
            Self::Unreadable { path, error } => write!(f, "cannot read `{}`: {error}", path.display()),
            Self::NoStory { folder } => write!(f, "no file in `{}` begins a story", folder.display()),
            Self::ManyStories { folder, roots } => {
                let names: Vec<String> = roots.iter().map(|root| format!("`{}`", root.display())).collect();
                write!(f, "`{}` holds several stories: {}", folder.display(), names.join(", "))
            }
            Self::WrongKind { path, wanted, .. } => write!(f, "`{}` is not {wanted}", path.display()),
        }
    }
}

impl std::error::Error for OpenError {}

impl OpenError {
    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Missing { near, .. } => near.as_ref().map(|near| format!("did you mean `{}`?", near.display())),
            Self::Unreadable { .. } => None,
            Self::NoStory { folder } => Some(format!(
                "a story begins with a line `story \"Title\"`; `dramaturg new {}` writes one",
                folder.file_name().map_or_else(|| "mystory".into(), |name| name.to_string_lossy())
            )),
            Self::ManyStories { .. } => Some("name one of them".to_owned()),
            Self::WrongKind { cure, .. } => Some((*cure).to_owned()),
        }
    }
}

/// Opens a story (a `.story` file or a folder with one), or a PDDL domain with its problem.
///
/// A folder's story is the file called like the folder, else the only file with a `story` header; a folder with `domain.pddl`
/// and `problem.pddl` is opened too.
pub fn open(path: &Path, problem: Option<&Path>) -> Result<Opened, OpenError> {
    open_with(path, problem, &PddlOptions::default())
}

/// Opens like [`open`], with another resolution or other limits for PDDL.
pub fn open_with(path: &Path, problem: Option<&Path>, options: &PddlOptions) -> Result<Opened, OpenError> {
    if path.is_dir() {
        let domain = path.join("domain.pddl");
        if domain.is_file() {
            let beside = path.join("problem.pddl");
            let problem = problem.or_else(|| beside.is_file().then_some(beside.as_path()));
            return open_pddl(&domain, problem, options);
        }
        return open_story(&find_root(path)?);
    }
    match Kind::of(path)? {
        Kind::Pddl => open_pddl(path, problem, options),
        Kind::Play => Err(OpenError::WrongKind {
            path: path.to_owned(),
            wanted: "a story",
            cure: "name the story that it tests, the file beside it that ends in `.story`",
        }),
        Kind::Story if problem.is_some() => Err(OpenError::WrongKind {
            path: path.to_owned(),
            wanted: "a PDDL domain, and nothing else has a problem",
            cure: "leave out the second name, or name a PDDL domain first",
        }),
        Kind::Story => open_story(path),
    }
}

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A story or a part of one.
    Story,
    /// Tests of a story.
    Play,
    /// PDDL.
    Pddl,
}

impl Kind {
    /// By its extension, else by its first character: PDDL begins with `(` or a comment with `;`.
    pub fn of(path: &Path) -> Result<Self, OpenError> {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("story") => return Ok(Self::Story),
            Some("play") => return Ok(Self::Play),
            Some("pddl") => return Ok(Self::Pddl),
            _ => {}
        }
        let text = read(path)?;
        let first = text.iter().find(|byte| !byte.is_ascii_whitespace());
        Ok(if matches!(first, Some(b'(' | b';')) { Self::Pddl } else { Self::Story })
    }
}

/// The root file of a folder's story.
pub fn find_root(folder: &Path) -> Result<PathBuf, OpenError> {
    let named = fs::canonicalize(folder).ok().and_then(|whole| whole.file_name().map(|name| name.to_owned()));
    if let Some(mut name) = named {
        name.push(".story");
        let root = folder.join(name);
        if root.is_file() {
            return Ok(root);
        }
    }
    let (mut roots, _) = story_files(folder)?;
    match roots.len() {
        0 => Err(OpenError::NoStory { folder: folder.to_owned() }),
        1 => Ok(roots.remove(0)),
        _ => Err(OpenError::ManyStories { folder: folder.to_owned(), roots }),
    }
}

/// The files directly in a folder that begin a story, and those that are parts, in order of name.
pub fn story_files(folder: &Path) -> Result<(Vec<PathBuf>, Vec<PathBuf>), OpenError> {
    let unreadable = |error| OpenError::Unreadable { path: folder.to_owned(), error };
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.is_file() && path.extension().is_some_and(|extension| extension == "story") {
            files.push(path);
        }
    }
    files.sort_unstable();
    let (mut roots, mut parts) = (Vec::new(), Vec::new());
    for path in files {
        let text = read(&path)?;
        let (tree, _) = parse_story(FileId(0), &String::from_utf8_lossy(&text));
        let has_header = tree.items.iter().any(|item| matches!(item.kind, ItemKind::Story(_)));
        if has_header { roots.push(path) } else { parts.push(path) }
    }
    Ok((roots, parts))
}

/// Opens a story by its root file.
pub fn open_story(root: &Path) -> Result<Opened, OpenError> {
    let files = DiskFiles::new();
    // The compiler takes a missing file for an empty one; here it is somebody's typing error.
    if !root.is_file() {
        return Err(missing(root));
    }
    let Compilation { sources, model, mut diagnostics, is_part } = compile(&written(root), &files);
    if let Some(trouble) = files.troubles().into_iter().next() {
        return Err(OpenError::Unreadable { path: trouble.path.into(), error: trouble.error });
    }
    diagnostics.extend(files.encoding_faults(&sources));
    sort_diagnostics(&mut diagnostics);
    Ok(Opened { sources, model, diagnostics, is_part, root: root.to_owned() })
}

fn open_pddl(domain: &Path, problem: Option<&Path>, options: &PddlOptions) -> Result<Opened, OpenError> {
    let files = DiskFiles::new();
    let mut sources = Sources::new();
    let mut add = |path: &Path| -> Result<(FileId, std::sync::Arc<str>), OpenError> {
        let name = written(path);
        let text = files.read(&name).ok_or_else(|| match files.troubles().pop() {
            Some(trouble) => OpenError::Unreadable { path: path.to_owned(), error: trouble.error },
            None => missing(path),
        })?;
        Ok((sources.add(name, text.clone()), text))
    };
    let (domain_file, domain_text) = add(domain)?;
    let problem = problem.map(&mut add).transpose()?;
    let problem = problem.as_ref().map(|(file, text)| (*file, &**text));
    let (model, mut diagnostics) = compile_pddl((domain_file, &domain_text), problem, options);
    diagnostics.extend(files.encoding_faults(&sources));
    sort_diagnostics(&mut diagnostics);
    Ok(Opened { sources, model, diagnostics, is_part: false, root: domain.to_owned() })
}

/// Reads a whole file.
pub fn read(path: &Path) -> Result<Vec<u8>, OpenError> {
    fs::read(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => missing(path),
        _ => OpenError::Unreadable { path: path.to_owned(), error },
    })
}

/// Says that a path leads nowhere, and what is spelt like it.
pub fn missing(path: &Path) -> OpenError {
    OpenError::Missing { path: path.to_owned(), near: nearest(path) }
}

fn nearest(path: &Path) -> Option<PathBuf> {
    let with_extension = path.with_extension("story");
    if path.extension().is_none() && with_extension.is_file() {
        return Some(with_extension);
    }
    let wanted = path.file_name()?.to_str()?.to_lowercase();
    let folder = path.parent()?;
    let listed = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let names =
        fs::read_dir(listed).ok()?.filter_map(Result::ok).filter_map(|entry| entry.file_name().into_string().ok());
    let scored = names.map(|name| (strsim::damerau_levenshtein(&wanted, &name.to_lowercase()), name));
    let (far, name) = scored.min()?;
    (far <= wanted.len().div_ceil(4)).then(|| folder.join(name))
}
